/** The emoji with which people reacted to a message: each with how many did, and who. */

import { h } from "../dom.js";
import { inARow } from "../naming.js";
import { control } from "./message_controls.js";

/** @typedef {{ code: string, names: string[], mine: boolean }} Sign */

/** Returns the label of a reaction, for example "🔥, 2: You, Ben". */
export const signWords = (/** @type {Sign} */ { code, names }) =>
  `${code}, ${names.length}: ${inARow(names)}`;

/** Makes the chips of a message's reactions. `onReact` gets an emoji, or null to take the user's own back. */
export function reactionChips(
  /** @type {readonly Sign[]} */ signs,
  /** @type {(sign: string | null) => void} */ onReact,
) {
  if (signs.length === 0) return null;
  return h("div", { class: "reactions" }, ...signs.map((sign, at) => chip(sign, at, onReact)));
}

function chip(
  /** @type {Sign} */ sign,
  /** @type {number} */ at,
  /** @type {(sign: string | null) => void} */ onReact,
) {
  const facts = {
    class: sign.mine ? "reaction reaction-mine" : "reaction",
    type: "button",
    "aria-pressed": String(sign.mine),
    "aria-label": signWords(sign),
    title: inARow(sign.names),
    onclick: () => onReact(sign.mine ? null : sign.code),
  };
  return h(
    "button",
    { ...facts, ...control(`sign-${at}`) },
    sign.code,
    h("span", { class: "reaction-count" }, ` ${sign.names.length}`),
  );
}
