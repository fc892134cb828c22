/**
 * The section of the account page for notifications: the state of push notifications on this device with the
 * button that turns them on or off, the sound for new messages, and when the server sends mails about unread
 * messages.
 */

import { createSettingChoice } from "../account/setting_choice.js";
import { reasonOf } from "../text/reason.js";
import { h, setText } from "../ui/dom.js";
import { t } from "../words/words.js";
import { createChimeChoice } from "./chime_choice.js";
import { ownSettingCalls } from "./notice_calls.js";

/** @typedef {import("./notices.js").NoticeState} NoticeState */

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

/** When the server sends mails about unread messages. */
const MAILS = [
  { value: "off", label: t("Never") },
  { value: "missed", label: t("After half an hour, when I am away") },
  { value: "daily", label: t("Once a day") },
  { value: "weekly", label: t("Once a week") },
];

/** The choice about mails on unread messages; hidden where the server sends no mail. */
function createMailChoice(/** @type {import("../app/app.js").App} */ app) {
  const calls = ownSettingCalls(app.api.rest);
  return createSettingChoice({
    label: t("Mails about unread messages"),
    hint: t("Direct messages, mentions and replies. Muted conversations are left out."),
    options: MAILS,
    load: async () => ((await app.options()).mail ? (await calls.settings()).email_notices : null),
    save: async (choice) => (await calls.chooseMails(choice)).email_notices,
  });
}

export function createNoticesSection(
  /** @type {import("../app/app.js").App} */ app,
  /** @type {import("./notices.js").Notices} */ notices,
) {
  const mails = createMailChoice(app);
  const sounds = createChimeChoice();
  const words = h("p", { class: "quiet", role: "status" });
  const alert = h("p", { class: "alert", role: "alert" });
  const button = h("button", { class: "button", type: "button", onclick: change });
  /** @type {NoticeState} */
  let state = "unsupported";

  async function load() {
    sounds.load();
    mails.load();
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
      setText(alert, reasonOf(error));
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
    sounds.node,
    mails.node,
  );
  return { node, load };
}
