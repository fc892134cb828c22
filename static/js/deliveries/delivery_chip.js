/** The state of a delivery as a chip: a word and an icon, so that colour is never the only difference. */

import { h } from "../ui/dom.js";
import { icon } from "../ui/icons.js";
import { STATES } from "./deliveries.js";

/** @typedef {import("./deliveries.js").State} State */

/** @type {Record<State, { sign: import("../ui/icons.js").IconName, look: string }>} */
const LOOKS = {
  pending: { sign: "clock", look: "chip" },
  delivered: { sign: "check", look: "chip chip-good" },
  failed: { sign: "warning", look: "chip chip-trouble" },
  parked: { sign: "aside", look: "chip chip-trouble" },
  dead: { sign: "close", look: "chip chip-bad" },
};

export function deliveryChip(/** @type {State} */ state) {
  const { sign, look } = LOOKS[state];
  return h("span", { class: look }, icon(sign), STATES[state].label);
}
