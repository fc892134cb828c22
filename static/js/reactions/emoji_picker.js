/**
 * The window in which one chooses an emoji: by a word, by what it belongs to, or again what
 * one chose before; and the skin tone of those that have one.
 *
 * Owns the grid and its keys: arrows lead through it, down from the field leads into it. What
 * is chosen, and kept as chosen, is said by the caller.
 */

import { reasonOf } from "../text/reason.js";
import { openDialog } from "../ui/dialog.js";
import { fillWith, h, setText } from "../ui/dom.js";
import { composes } from "../ui/input_method.js";
import { t } from "../words/words.js";
import { allEmoji, foundAmong, inTone, USUAL, withoutTone, withRecent } from "./emoji.js";
import { createToneChoice } from "./emoji_tones.js";

/** @typedef {import("./emoji.js").Emoji} Emoji */
/** @typedef {import("./emoji.js").EmojiGroup} EmojiGroup */

/** What each group is called, and the sign of its tab. @type {Record<string, { name: string, sign: string }>} */
const GROUPS = {
  recent: { name: t("Recently used"), sign: "🕘" },
  usual: { name: t("Frequently used"), sign: "⭐" },
  smileys_emotion: { name: t("Smileys and emotions"), sign: "😀" },
  people_body: { name: t("People"), sign: "👋" },
  animals_nature: { name: t("Animals and nature"), sign: "🐻" },
  food_drink: { name: t("Food and drink"), sign: "🍏" },
  travel_places: { name: t("Travel and places"), sign: "🚗" },
  activities: { name: t("Activities"), sign: "⚽" },
  objects: { name: t("Objects"), sign: "💡" },
  symbols: { name: t("Symbols"), sign: "🔣" },
  flags: { name: t("Flags"), sign: "🏁" },
};

/**
 * @param {import("../app/app.js").App} app
 * @param {object} options
 * @param {string} options.title
 * @param {(sign: string) => unknown} options.onChoose the window closes once it is done
 */
export async function openEmojiPicker(app, { title, onChoose }) {
  /** @type {EmojiGroup[]} */
  let groups = [];
  const recent = app.recentEmoji.get();
  const alert = h("p", { class: "alert", role: "alert" });
  const told = h("p", { class: "quiet emoji-told", role: "status" });
  const tabs = h("div", { class: "emoji-tabs", role: "group", "aria-label": t("Emoji categories") });
  const place = h("div", { class: "emoji-place", onkeydown: walks });
  const input = h("input", {
    class: "input",
    type: "search",
    dir: "auto",
    "aria-label": t("Search emoji"),
    placeholder: t("Search emoji"),
    autocomplete: "off",
    spellcheck: "false",
    oninput: show,
    onkeydown: pressed,
  });
  const tones = createToneChoice(app.emojiTone, show);
  const dialog = openDialog({
    title,
    content: () => [
      h(
        "div",
        { class: "emoji" },
        h("div", { class: "emoji-top" }, input, tones.button),
        tones.row,
        tabs,
        alert,
        told,
        place,
      ),
    ],
  });
  dialog.classList.add("emoji-dialog");

  /** In the tone that somebody chose, if it has any. */
  const dressed = (/** @type {Emoji} */ { sign, hasTones }) =>
    hasTones ? inTone(sign, app.emojiTone.get()) : sign;

  function button(/** @type {Emoji} */ one) {
    const sign = dressed(one);
    return h(
      "button",
      {
        class: "emoji-choice",
        type: "button",
        tabindex: -1,
        title: one.name,
        "aria-label": one.name,
        onclick: () => take(sign),
      },
      sign,
    );
  }

  function section(/** @type {string} */ key, /** @type {Emoji[]} */ emoji) {
    const id = `emoji-${key}`;
    const name = GROUPS[key]?.name ?? key;
    return h(
      "section",
      { class: "emoji-group", "aria-labelledby": id },
      h("h3", { class: "emoji-head", id }, name),
      h("div", { class: "emoji-grid" }, ...emoji.map(button)),
    );
  }

  /** What stands before all others: what one chose last, filled up with what many choose. */
  function first() {
    const known = new Map(groups.flatMap(({ emoji }) => emoji.map((one) => [withoutTone(one.sign), one])));
    const isAsChosen = recent.length > 0;
    const chosen = new Set(recent.map(withoutTone));
    const more = USUAL.filter((sign) => !chosen.has(withoutTone(sign)));
    const signs = [...recent, ...more.slice(0, Math.max(0, USUAL.length - recent.length))];
    const emoji = signs.map((sign) => {
      const one = known.get(withoutTone(sign)) ?? { name: sign, words: "", hasTones: false };
      // What was chosen once has the tone that it had then.
      return { ...one, sign, hasTones: one.hasTones && !recent.includes(sign) };
    });
    return { key: isAsChosen ? "recent" : "usual", emoji };
  }

  function show() {
    const text = input.value.trim();
    const found = text === "" ? null : foundAmong(groups, text);
    const shown = [first(), ...groups];
    tabs.hidden = found !== null || groups.length === 0;
    setText(told, found?.length === 0 ? t("No emoji found.") : "");
    if (found) fillWith(place, h("div", { class: "emoji-grid" }, ...found.map(button)));
    else fillWith(place, ...shown.map(({ key, emoji }) => section(key, emoji)));
    if (!found) fillWith(tabs, ...shown.map(({ key }) => tab(key)));
    place.scrollTop = 0;
    stop(place.querySelector("button"));
  }

  function tab(/** @type {string} */ key) {
    const { name, sign } = GROUPS[key] ?? { name: key, sign: "•" };
    const go = () => {
      const section = place.querySelector(`section[aria-labelledby="emoji-${key}"]`);
      section?.scrollIntoView({ block: "start" });
      stop(section?.querySelector("button") ?? null);
    };
    return h(
      "button",
      { class: "emoji-tab", type: "button", title: name, "aria-label": name, onclick: go },
      sign,
    );
  }

  /** Tab stops in the grid once, where one was last. */
  function stop(/** @type {HTMLElement | null} */ at) {
    for (const one of place.querySelectorAll('[tabindex="0"]')) one.setAttribute("tabindex", "-1");
    at?.setAttribute("tabindex", "0");
  }

  function goTo(/** @type {HTMLElement | null | undefined} */ one) {
    if (!one) return;
    stop(one);
    one.focus();
  }

  /** @returns {HTMLElement[]} */
  const choices = () => [...place.querySelectorAll("button")];

  function walks(/** @type {KeyboardEvent} */ event) {
    const from = /** @type {HTMLElement} */ (event.target);
    const forward = getComputedStyle(place).direction === "rtl" ? "ArrowLeft" : "ArrowRight";
    const back = forward === "ArrowRight" ? "ArrowLeft" : "ArrowRight";
    const all = choices();
    const at = all.indexOf(from);
    /** @type {HTMLElement | null | undefined} */
    let to;
    if (event.key === forward) to = all[at + 1];
    else if (event.key === back) to = all[at - 1];
    else if (event.key === "ArrowDown") to = beside(all.slice(at + 1), from);
    else if (event.key === "ArrowUp") to = beside(all.slice(0, Math.max(0, at)).reverse(), from) ?? input;
    else return;
    event.preventDefault();
    if (to === input) input.focus();
    else goTo(to);
  }

  function pressed(/** @type {KeyboardEvent} */ event) {
    if (composes(event)) return;
    const one = choices()[0];
    if (event.key === "ArrowDown") goTo(one);
    else if (event.key === "Enter" && input.value.trim() !== "") one?.click();
    else return;
    event.preventDefault();
  }

  async function take(/** @type {string} */ sign) {
    setText(alert, "");
    try {
      await onChoose(sign);
      app.recentEmoji.set(withRecent(recent, sign));
      dialog.close();
    } catch (error) {
      setText(alert, reasonOf(error));
    }
  }

  show();
  try {
    groups = await allEmoji();
    show();
  } catch {
    setText(told, t("The other emoji could not be loaded. Check your connection and try again."));
  }
}

/** The nearest one in the next row: the first row's that begins elsewhere. */
function beside(/** @type {HTMLElement[]} */ rest, /** @type {HTMLElement} */ from) {
  const here = from.getBoundingClientRect();
  /** @type {HTMLElement | null} */
  let best = null;
  let top = Number.NaN;
  let least = Number.POSITIVE_INFINITY;
  for (const one of rest) {
    const there = one.getBoundingClientRect();
    if (Math.abs(there.top - here.top) < here.height / 2) continue;
    if (Number.isNaN(top)) top = there.top;
    if (Math.abs(there.top - top) > here.height / 2) break;
    const far = Math.abs(there.left - here.left);
    if (far < least) [best, least] = [one, far];
  }
  return best;
}
