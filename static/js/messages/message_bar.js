/**
 * The bar at the corner of a sent message: react, reply, and more, which opens the menu with everything else.
 *
 * Owns which of the three buttons a message has. Changes of the message arrive as events, for the user who made
 * them as for everybody.
 */

import { h } from "../ui/dom.js";
import { icon } from "../ui/icons.js";
import { t } from "../words/words.js";
import { control } from "./message_controls.js";

/** @typedef {import("../timeline/timeline_rows.js").MessageRow} MessageRow */
/**
 * @typedef {object} Acts
 * @property {(row: MessageRow) => void} answer
 * @property {(row: MessageRow) => void} react lets the user choose an emoji
 * @property {(id: string, text: string) => Promise<unknown>} edit
 * @property {(id: string) => Promise<unknown>} remove
 * @property {(id: string, isPinned: boolean) => unknown} pin
 * @property {(id: string, isSaved: boolean) => unknown} save saves the message for the user, or removes it from what they saved
 * @property {(row: MessageRow) => void} report asks for the reason and reports the message
 * @property {(row: MessageRow) => void} about shows who reacted and who has read the message
 * @property {(row: MessageRow) => void} copy copies the text as it was written
 * @property {(row: MessageRow) => void} forward asks where to say it again
 * @property {(row: MessageRow) => void} link shows the message's address, to be copied
 * @property {(row: MessageRow) => void} unread marks the message and all later ones as unread
 * @property {(row: MessageRow) => void} thread opens the replies to the message
 * @property {(row: MessageRow) => void} show leads to the message in its conversation
 * @property {(row: MessageRow) => void} select begins to select messages with this one
 * @property {(row: MessageRow, at: import("../ui/menu_dialog.js").Spot) => void} more opens the menu
 */

/** The kind of the button that opens the menu; see `message_controls.js`. */
export const MORE = "more";

export function messageBar(/** @type {MessageRow} */ row, /** @type {Acts} */ acts) {
  if (row.state !== "stored") return null;
  const more = button(MORE, t("More actions"), "more", () => acts.more(row, more));
  more.setAttribute("aria-haspopup", "menu");
  return h(
    "div",
    { class: "line-acts" },
    row.mayReact && button("react", t("React"), "smile", () => acts.react(row)),
    row.mayAnswer && button("answer", t("Reply"), "reply", () => acts.answer(row)),
    more,
  );
}

function button(
  /** @type {string} */ kind,
  /** @type {string} */ label,
  /** @type {import("../ui/icons.js").IconName} */ sign,
  /** @type {() => void} */ onclick,
) {
  const facts = { class: "line-act", type: "button", "aria-label": label, title: label, onclick };
  return h("button", { ...facts, ...control(kind) }, icon(sign));
}
