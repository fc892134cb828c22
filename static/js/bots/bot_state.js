/** Whether a bot is active, as a chip and as a sentence: the same wherever bots are shown. */

import { exactTime } from "../text/time.js";
import { h } from "../ui/dom.js";
import { icon } from "../ui/icons.js";
import { t } from "../words/words.js";

/** @typedef {import("./bot_list.js").Bot} Bot */

/** Makes the chip that says whether the bot is active: an icon and a word. */
export function botChip(/** @type {{ active: boolean }} */ { active }) {
  return h(
    "span",
    { class: active ? "chip chip-good" : "chip chip-bad" },
    icon(active ? "check" : "aside"),
    active ? t("Active") : t("Inactive"),
  );
}

export function botSentence(/** @type {Bot} */ { active, callback_url: url }) {
  if (!active) return t("It cannot post and receives no messages.");
  if (!url) return t("No callback URL: it requests new messages itself (pull mode).");
  return t("Each message of its group is posted to its callback URL.");
}

/** Says why a bot is inactive. `goneAt` is when its callback URL answered 410, or null if it did not. */
export function offSentence(/** @type {number | null} */ goneAt) {
  if (goneAt === null) return t("You switched it off.");
  return t("It was switched off because its callback URL answered 410 (Gone), {it}.", {
    it: exactTime(goneAt),
  });
}
