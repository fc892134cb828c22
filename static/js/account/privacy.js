/** The section of the account page for privacy: from whom direct messages come. */

import { ownSettingCalls } from "../notices/notice_calls.js";
import { h } from "../ui/dom.js";
import { t } from "../words/words.js";
import { createSettingChoice } from "./setting_choice.js";

export function createPrivacy(/** @type {import("../app/app.js").App} */ app) {
  const calls = ownSettingCalls(app.api.rest);
  const senders = createSettingChoice({
    label: t("Who can write to you"),
    hint: t("Chats that you have stay open. Requests wait in a list of their own, without notifications."),
    options: [
      { value: "everyone", label: t("Everybody") },
      { value: "shared_groups", label: t("People who share a group with you") },
      { value: "requests", label: t("People who share a group with you; others send a request") },
      { value: "nobody", label: t("Nobody new") },
    ],
    load: async () => (await calls.settings()).dm_from,
    save: async (choice) => (await calls.chooseSenders(choice)).dm_from,
  });
  const node = h(
    "section",
    { "aria-label": t("Privacy"), hidden: true },
    h("h3", {}, t("Privacy")),
    senders.node,
  );

  return {
    node,
    async load() {
      node.hidden = !(await senders.load());
    },
  };
}
