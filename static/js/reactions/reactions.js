/** The emoji with which people reacted to a message: each with how many did, and who. */

import { inARow } from "../conversation/naming.js";
import { control } from "../messages/message_controls.js";
import { h } from "../ui/dom.js";

/** @typedef {{ code: string, names: string[], mine: boolean }} Sign */

/** Returns the label of a reaction, for example "🔥, 2: You, Ben". */
export const signWords = (/** @type {Sign} */ { code, names }) =>
  `${code}, ${names.length}: ${inARow(names)}`;

/**
 * Makes the chips of a message's reactions. `onToggle` gets the emoji of a chip that was pressed. A deleted
 * message keeps its reactions and takes no others.
 */
export function reactionChips(
  /** @type {{ signs: readonly Sign[], mayReact: boolean }} */ { signs, mayReact },
  /** @type {(sign: string) => void} */ onToggle,
) {
  if (signs.length === 0) return null;
  return h(
    "div",
    { class: "reactions" },
    ...signs.map((sign, at) => chip(sign, at, mayReact ? onToggle : null)),
  );
}

function chip(
  /** @type {Sign} */ sign,
  /** @type {number} */ at,
  /** @type {((sign: string) => void) | null} */ onToggle,
) {
  const facts = {
    class: sign.mine ? "reaction reaction-mine" : "reaction",
    type: "button",
    disabled: !onToggle,
    "aria-pressed": String(sign.mine),
    "aria-label": signWords(sign),
    title: inARow(sign.names),
    onclick: () => onToggle?.(sign.code),
  };
  return h(
    "button",
    { ...facts, ...control(`sign-${at}`) },
    h("span", { class: "reaction-sign" }, sign.code),
    h("span", { class: "reaction-count" }, String(sign.names.length)),
  );
}
