/**
 * The signs with which people react to a message: each with how many and who.
 */

import { h } from "../dom.js";
import { inARow } from "../naming.js";
import { control } from "./message_controls.js";

/** @typedef {{ code: string, names: string[], mine: boolean }} Sign */

/** "🔥, 2: You, Ben" */
export const signWords = (/** @type {Sign} */ { code, names }) =>
  `${code}, ${names.length}: ${inARow(names)}`;

/** `onReact` is called with a sign, or with null to take one's own back. */
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
