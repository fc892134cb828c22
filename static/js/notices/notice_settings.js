/**
 * The page of the panel for the notifications of a conversation: its level, muting it for a time, and muting everything.
 *
 * Shows what the server has, and asks it again after each change.
 */

import { reasonOf } from "../text/reason.js";
import { fullTime } from "../text/time.js";
import { fillWith, h } from "../ui/dom.js";
import { t } from "../words/words.js";
import { FOR_EVER, noticeCalls } from "./notice_calls.js";

/** @typedef {import("./notice_calls.js").NoticeSettings} NoticeSettings */
/** @typedef {import("../sync/types.js").Conversation} Conversation */

const LEVELS = [
  { level: "all", label: t("Every message") },
  { level: "mentions", label: t("Mentions and replies") },
  { level: "none", label: t("Nothing") },
];

/** @type {{ minutes: number | null, label: string }[]} */
const SPANS = [
  { minutes: 60, label: t("For an hour") },
  { minutes: 8 * 60, label: t("For eight hours") },
  { minutes: 24 * 60, label: t("For a day") },
  { minutes: null, label: t("Until I unmute") },
];

/** @returns {import("../details/details.js").Page} */
export function noticesPage(
  /** @type {import("../app/app.js").App} */ app,
  /** @type {Conversation} */ { conv, group },
) {
  const place = h("div", { class: "panel-page" }, h("p", { class: "quiet" }, t("Loading…")));
  const calls = noticeCalls(app.api.rest);
  const id = conv.slice(2);

  /** Makes a change, then shows the settings that the server has. */
  async function act(/** @type {() => Promise<unknown>} */ change) {
    try {
      await change();
      show(await calls.noticeSettings(id));
    } catch (error) {
      app.complain(t("Nothing was changed. {it}", { it: reasonOf(error) }));
    }
  }

  function show(/** @type {NoticeSettings} */ settings) {
    const held = [...place.children].findIndex((part) => part.contains(document.activeElement));
    fillWith(
      place,
      levels(settings, (level) => act(() => calls.setLevel(id, level))),
      group?.parent
        ? mutes(t("Mute this topic"), settings.muted_until, (change) =>
            act(() => app.topics.mute(group, change)),
          )
        : group
          ? mutes(t("Mute this group"), settings.muted_until, (change) =>
              act(() =>
                change === "over" ? app.groups.mute(group.id, false) : calls.muteFor(group.id, change),
              ),
            )
          : mutes(t("Mute this chat"), settings.muted_until, (change) =>
              act(() => calls.muteChat(id, change === "over" ? 0 : change)),
            ),
      mutes(t("Mute everything"), settings.all_muted_until, (change) =>
        act(() => (change === "over" ? calls.unmuteAll() : calls.muteAll(change))),
      ),
    );
    // What had the focus is another element now.
    const again = place.children[held]?.querySelector("input:checked, button");
    /** @type {HTMLElement | null | undefined} */ (again)?.focus();
  }

  act(async () => {});
  return { title: t("Notifications"), nodes: [place] };
}

function levels(/** @type {NoticeSettings} */ settings, /** @type {(level: string) => void} */ choose) {
  const choices = LEVELS.map(({ level, label }) => {
    const checked = settings.level === level;
    const input = h("input", { type: "radio", name: "level", checked, onchange: () => choose(level) });
    return h("label", { class: "choice" }, input, h("span", {}, label));
  });
  return h("fieldset", { class: "choices" }, h("legend", {}, t("Notify me about")), ...choices);
}

function mutes(
  /** @type {string} */ title,
  /** @type {number | null} */ until,
  /** @type {(change: number | null | "over") => void} */ choose,
) {
  const wide = (/** @type {string} */ label, /** @type {number | null | "over"} */ change) =>
    h("button", { class: "button", type: "button", onclick: () => choose(change) }, label);
  const acts =
    until === null
      ? SPANS.map(({ minutes, label }) => wide(label, minutes))
      : [h("p", { class: "quiet" }, mutedWords(until)), wide(t("Unmute"), "over")];
  return h("fieldset", { class: "choices choices-spans" }, h("legend", {}, title), ...acts);
}

const mutedWords = (/** @type {number} */ until) =>
  until === FOR_EVER ? t("Muted until you unmute it.") : t("Muted until {time}.", { time: fullTime(until) });
