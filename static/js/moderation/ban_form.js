/** The window in which the owner or an admin removes a person from a group and bans them. */

import { may } from "../groups/permissions.js";
import { countChars } from "../text/text.js";
import { openForm } from "../ui/dialog_form.js";
import { allRight, choice, field } from "../ui/field.js";
import { t } from "../words/words.js";

/** The greatest length of a reason, in characters. */
const MOST = 500;
const DAY = 86400;

export function openBan(
  /** @type {import("../app/app.js").App} */ app,
  /** @type {import("../sync/types.js").Person} */ { id, name },
  /** @type {import("../sync/types.js").Group} */ group,
) {
  const me = app.state.get().snapshot?.user.id ?? "";
  const reason = field({
    label: t("Reason (optional)"),
    name: "reason",
    autocomplete: "off",
    hint: t("The owner, admins and {name} can see it.", { name }),
  });
  const length = choice({
    label: t("How long"),
    options: [
      { value: "", label: t("Until somebody lifts the ban") },
      { value: String(DAY), label: t("1 day") },
      { value: String(7 * DAY), label: t("1 week") },
      { value: String(30 * DAY), label: t("30 days") },
    ],
  });
  const since = choice({
    label: t("Messages of {name}", { name }),
    options: [
      { value: "", label: t("Keep them") },
      { value: String(3600), label: t("Delete those of the last hour") },
      { value: String(DAY), label: t("Delete those of the last day") },
      { value: String(7 * DAY), label: t("Delete those of the last week") },
    ],
  });
  openForm({
    title: t("Remove and ban {name}?", { name }),
    asks: [reason.node, length.node, may(group, me, "delete_messages") && since.node],
    act: t("Remove and ban"),
    danger: true,
    async onSubmit(close) {
      const words = reason.input.value.trim();
      if (!allRight([[reason, countChars(words) > MOST && t("At most {MOST} characters.", { MOST })]]))
        return;
      const seconds = Number(length.input.value);
      const until = seconds > 0 ? Math.floor(Date.now() / 1000) + seconds : null;
      const deleted = since.input.value === "" ? {} : { delete_since: Number(since.input.value) };
      await app.groups.ban(group.id, id, { reason: words || null, until, ...deleted });
      close();
    },
  });
}
