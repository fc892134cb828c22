/** The window in which the owner or an admin times a member out. */

import { countChars } from "../text/text.js";
import { openForm } from "../ui/dialog_form.js";
import { allRight, choice, field } from "../ui/field.js";
import { t } from "../words/words.js";

/** The greatest length of a reason, in characters. */
const MOST = 500;

export function openTimeout(
  /** @type {import("../app/app.js").App} */ app,
  /** @type {string} */ name,
  /** @type {import("../sync/types.js").Group} */ group,
  /** @type {import("../sync/types.js").Member} */ member,
) {
  const reason = field({
    label: t("Reason (optional)"),
    name: "reason",
    autocomplete: "off",
    hint: t("The owner, admins and {name} can see it.", { name }),
  });
  const length = choice({
    label: t("How long"),
    options: [
      { value: "600", label: t("10 minutes") },
      { value: "3600", label: t("1 hour") },
      { value: "86400", label: t("1 day") },
      { value: "604800", label: t("1 week") },
      { value: "2419200", label: t("28 days") },
    ],
    hint: t("Until then, {name} can read and leave, but not write or react.", { name }),
  });
  openForm({
    title: t("Time out {name}?", { name }),
    asks: [reason.node, length.node],
    act: t("Time out"),
    async onSubmit(close) {
      const words = reason.input.value.trim();
      if (!allRight([[reason, countChars(words) > MOST && t("At most {MOST} characters.", { MOST })]]))
        return;
      const seconds = Number(length.input.value);
      await app.groups.timeOut(group.id, member.id ?? "", { seconds, reason: words || null });
      close();
    },
  });
}
