/** The window in which the owner or an admin resolves a report. */

import { countChars } from "../text/text.js";
import { openForm } from "../ui/dialog_form.js";
import { allRight, choice, field } from "../ui/field.js";
import { t } from "../words/words.js";

/** @typedef {import("../groups/group_calls.js").Report} Report */

/** The greatest length of a note, in characters. */
const MOST = 500;
const DAY = 86400;

/** Resolves a report in a group or in a topic of one. */
export function openResolution(
  /** @type {Report} */ report,
  /** @type {import("../sync/types.js").Group} */ place,
  /** @type {(resolution: import("../groups/group_calls.js").NewResolution) => Promise<unknown>} */ resolve,
) {
  const { message } = report;
  const name = message.name;
  // A rule may report a name or another change: then the report has its text in place of a message.
  const isInLog = message.id !== report.id;
  const isOfPerson = (message.sender_type ?? "user") === "user";
  const action = choice({
    label: t("What to do"),
    options: [
      { value: "dismiss", label: t("Nothing: the message is fine") },
      ...(isInLog ? [{ value: "delete", label: t("Delete the message") }] : []),
      ...(isOfPerson
        ? [
            { value: "timeout 3600", label: t("Time out {name} for an hour", { name }) },
            { value: `timeout ${DAY}`, label: t("Time out {name} for a day", { name }) },
          ]
        : []),
      // Members are removed and banned in the group.
      ...(isOfPerson && !place.parent
        ? [
            { value: "remove", label: t("Remove {name} from the group", { name }) },
            { value: "ban", label: t("Remove and ban {name}", { name }) },
          ]
        : []),
      { value: "escalate", label: t("Pass it on to the operators of this server") },
    ],
  });
  const note = field({
    label: t("Note (optional)"),
    name: "note",
    autocomplete: "off",
    hint: t("The owner and admins can read it. It is also the reason of a timeout or a ban."),
  });
  openForm({
    title: t("Resolve report"),
    asks: [action.node, note.node],
    act: t("Resolve"),
    async onSubmit(close) {
      const words = note.input.value.trim();
      if (!allRight([[note, countChars(words) > MOST && t("At most {MOST} characters.", { MOST })]])) return;
      const [kind, seconds] = action.input.value.split(" ");
      const until = seconds && { until: Math.floor(Date.now() / 1000) + Number(seconds) };
      await resolve({ action: kind, ...(words && { note: words }), ...until });
      close();
    },
  });
}
