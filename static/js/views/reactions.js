/**
 * The signs with which people react to a message: each with how many and who, and the window
 * in which one chooses one's own.
 */

import { h } from "../dom.js";
import { inARow } from "../naming.js";
import { t } from "../words.js";
import { openForm } from "./dialog_form.js";
import { allRight, field } from "./field.js";
import { control } from "./message_controls.js";

/** @typedef {{ code: string, names: string[], mine: boolean }} Sign */

/** What most people look for; anything else can be typed. */
const USUAL = ["❤️", "👍", "😂", "😮", "😢", "🎉", "🔥", "👏"];

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

/** Asks for a sign. */
export function chooseReaction(/** @type {(sign: string) => Promise<unknown>} */ react) {
  const other = field({ label: t("Or any other emoji"), name: "emoji", autocomplete: "off" });
  const usual = (/** @type {string} */ sign) => {
    const choose = () => {
      other.input.value = sign;
      dialog.querySelector("form")?.requestSubmit();
    };
    return h("button", { class: "reaction-choice", type: "button", onclick: choose }, sign);
  };
  const dialog = openForm({
    title: t("React"),
    asks: [h("div", { class: "reaction-choices" }, ...USUAL.map(usual)), other.node],
    act: t("React"),
    async onSubmit(close) {
      const sign = other.input.value.trim();
      if (!allRight([[other, sign === "" ? t("Choose one, or type one.") : ""]])) return;
      await react(sign);
      close();
    },
  });
}
