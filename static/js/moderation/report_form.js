/**
 * The window in which somebody reports a message, a person or a group: to the owner and admins of a group,
 * or to the operators of the server.
 */

import { countChars } from "../text/text.js";
import { openForm } from "../ui/dialog_form.js";
import { allRight, choice, lines } from "../ui/field.js";
import { t } from "../words/words.js";

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

/**
 * @typedef {object} Reportable
 * @property {string} title the title of the window
 * @property {boolean} toOperators whether the operators of the server read it, and not a group's owner and admins
 * @property {(why: { reason: string, text?: string }) => Promise<unknown>} send
 */

function openReport(
  /** @type {import("../app/app.js").App} */ app,
  /** @type {Reportable} */ { title, toOperators, send },
) {
  const reason = choice({
    label: t("What is wrong with it?"),
    options: Object.entries(REASONS).map(([value, label]) => ({ value, label })),
    hint: toOperators
      ? t("The operators of this server read this, and who reported it.")
      : t("The owner and admins read this, but not who reported the message."),
  });
  const words = lines({ label: t("More about it (optional)"), name: "text" });
  openForm({
    title,
    asks: [reason.node, words.node],
    act: t("Report"),
    async onSubmit(close) {
      const text = words.input.value.trim();
      if (!allRight([[words, countChars(text) > MOST && t("At most {MOST} characters.", { MOST })]])) return;
      await send({ reason: reason.input.value, ...(text && { text }) });
      close();
      app.tell(
        toOperators ? t("Reported to the operators of this server.") : t("Reported to the owner and admins."),
      );
    },
  });
}

/** Reports a message; those of chats and of owners of groups go to the operators. */
export const openMessageReport = (
  /** @type {import("../app/app.js").App} */ app,
  /** @type {import("../sync/types.js").Conversation} */ { conv, group },
  /** @type {{ key: string, author: string }} */ { key, author },
) =>
  openReport(app, {
    title: t("Report message"),
    toOperators: group?.creator_user_id === author || !group,
    send: (why) => app.groups.report(conv.slice(2), key, why),
  });

/** Reports a person. */
export const openPersonReport = (
  /** @type {import("../app/app.js").App} */ app,
  /** @type {Pick<import("../sync/types.js").Person, "id" | "name">} */ { id, name },
) =>
  openReport(app, {
    title: t("Report {name}", { name }),
    toOperators: true,
    send: (why) => app.groups.reportPerson(id, why),
  });

/** Reports a group. */
export const openGroupReport = (
  /** @type {import("../app/app.js").App} */ app,
  /** @type {Pick<import("../sync/types.js").Group, "id" | "name">} */ { id, name },
) =>
  openReport(app, {
    title: t("Report {name}", { name }),
    toOperators: true,
    send: (why) => app.groups.reportGroup(id, why),
  });
