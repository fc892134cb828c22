/**
 * The choice of a skin tone, beside the emoji that have one.
 *
 * Owns a button that shows the tone, and the row of all tones that it opens. Where the choice
 * is kept, and what follows from it, is said by the caller.
 */

import { h, setText } from "../ui/dom.js";
import { t } from "../words/words.js";
import { inTone, TONES } from "./emoji.js";

/** What shows a tone best. */
const SHOWN = "✋";

/** What each tone is called, in the order of `TONES`. */
const NAMES = [
  t("No skin tone"),
  t("Light skin tone"),
  t("Medium-light skin tone"),
  t("Medium skin tone"),
  t("Medium-dark skin tone"),
  t("Dark skin tone"),
];

/**
 * @param {{ get: () => string, set: (tone: string) => void }} kept
 * @param {() => void} onChange
 */
export function createToneChoice(kept, onChange) {
  const button = h("button", {
    class: "emoji-tone",
    type: "button",
    title: t("Skin tone"),
    "aria-label": t("Skin tone"),
    "aria-expanded": "false",
    "aria-controls": "emoji-tones",
    onclick: () => open(Boolean(row.hidden)),
  });
  const choices = TONES.map((tone, at) =>
    h(
      "button",
      {
        class: "emoji-tone",
        type: "button",
        title: NAMES[at],
        "aria-label": NAMES[at],
        onclick: () => choose(tone),
      },
      inTone(SHOWN, tone),
    ),
  );
  const row = h(
    "div",
    { class: "emoji-tones", id: "emoji-tones", role: "group", "aria-label": t("Skin tone"), hidden: true },
    ...choices,
  );

  function open(/** @type {boolean} */ isOpen) {
    row.hidden = !isOpen;
    button.setAttribute("aria-expanded", String(isOpen));
  }

  function choose(/** @type {string} */ tone) {
    kept.set(tone);
    show();
    open(false);
    button.focus();
    onChange();
  }

  function show() {
    const tone = kept.get();
    setText(button, inTone(SHOWN, tone));
    choices.forEach((one, at) => {
      one.setAttribute("aria-pressed", String(TONES[at] === tone));
    });
  }

  show();
  return { button, row };
}
