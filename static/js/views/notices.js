/**
 * The section of the account page for push notifications on this device: their state, and the button that
 * turns them on or off.
 */

import { h, setText } from "../dom.js";
import { t } from "../words.js";

/** @typedef {import("../notices.js").NoticeState} NoticeState */

/** @type {Record<NoticeState, { words: string, act: string }>} */
const SAYS = {
  unsupported: { words: t("This browser shows no notifications for this page."), act: "" },
  denied: {
    words: t("Notifications are blocked in this browser. Allow them in its settings first."),
    act: "",
  },
  off: {
    words: t("Notifications are off on this device."),
    act: t("Turn on notifications"),
  },
  on: {
    words: t("Notifications are on for this device. You get them while you are not looking at this page."),
    act: t("Turn off notifications"),
  },
};

export function createNoticesSection(/** @type {import("../notices.js").Notices} */ notices) {
  const words = h("p", { class: "quiet", role: "status" });
  const alert = h("p", { class: "alert", role: "alert" });
  const button = h("button", { class: "button", type: "button", onclick: change });
  /** @type {NoticeState} */
  let state = "unsupported";

  async function load() {
    show(await notices.state());
  }

  function show(/** @type {NoticeState} */ next) {
    state = next;
    setText(words, SAYS[state].words);
    setText(button, SAYS[state].act);
    button.hidden = SAYS[state].act === "";
  }

  async function change() {
    setText(alert, "");
    button.disabled = true;
    try {
      show(await (state === "on" ? notices.disable() : notices.enable()));
    } catch (error) {
      setText(alert, error instanceof Error ? error.message : String(error));
    } finally {
      button.disabled = false;
    }
  }

  show(state);
  const node = h(
    "section",
    { "aria-label": t("Notifications") },
    h("h3", {}, t("Notifications")),
    words,
    alert,
    button,
  );
  return { node, load };
}
