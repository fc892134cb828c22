/** The window in which a member reports a message to the owner and admins. */

import { countChars } from "../text.js";
import { t } from "../words.js";
import { openForm } from "./dialog_form.js";
import { allRight, choice, lines } from "./field.js";

/** The greatest length of what is said about a report, in characters. */
const MOST = 1000;

/** The reasons of a report, in the order in which they are offered. @type {Record<string, string>} */
export const REASONS = {
  spam: t("Spam"),
  harassment: t("Harassment or insults"),
  hate: t("Hate"),
  violence: t("Violence or threats"),
  sexual: t("Sexual content"),
  self_harm: t("Suicide or self-harm"),
  privacy: t("Private information"),
  rules: t("Against the rules of this group"),
  other: t("Something else"),
};

export function openReport(
  /** @type {import("../app.js").App} */ app,
  /** @type {import("../types.js").Group} */ group,
  /** @type {string} */ message,
) {
  const reason = choice({
    label: t("What is wrong with it?"),
    options: Object.entries(REASONS).map(([value, label]) => ({ value, label })),
    hint: t("The owner and admins read this, but not who reported the message."),
  });
  const words = lines({ label: t("More about it (optional)"), name: "text" });
  openForm({
    title: t("Report message"),
    asks: [reason.node, words.node],
    act: t("Report"),
    async onSubmit(close) {
      const text = words.input.value.trim();
      if (!allRight([[words, countChars(text) > MOST && t("At most {MOST} characters.", { MOST })]])) return;
      await app.groups.report(group.id, message, { reason: reason.input.value, ...(text && { text }) });
      close();
      app.tell(t("Reported to the owner and admins."));
    },
  });
}
