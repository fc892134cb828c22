/** The window in which a member makes an invite. */

import { countChars } from "../text/text.js";
import { openForm } from "../ui/dialog_form.js";
import { allRight, check, choice, field } from "../ui/field.js";
import { t } from "../words/words.js";

/** @typedef {{ name?: string, max_uses?: number, expires_in?: number, approval?: string, guest?: boolean }} NewInvite */

/** @typedef {{ asks: boolean, maySkip: boolean, takesGuests: boolean }} Approval whether people ask to join the
 *   group, who makes an invite may let them skip that, and it may make guests */

/** The greatest length of a name, in characters. */
const MOST = 60;
/** How many people may use an invite, at most. */
const MOST_USES = 100_000;

/** Opens the window. `onMade` gets what `save` returns once the window is closed.
 * @template Made
 * @param {(invite: NewInvite) => Promise<Made>} save
 * @param {(made: Made) => void} onMade
 * @param {Approval} approvals
 */
export function openInvite(save, onMade, { asks, maySkip, takesGuests }) {
  const name = field({
    label: t("Name (optional)"),
    name: "name",
    autocomplete: "off",
    hint: t("Only those who manage the invites see it."),
  });
  const uses = field({
    label: t("How many people may use it (optional)"),
    name: "uses",
    inputmode: "numeric",
    autocomplete: "off",
  });
  const end = choice({
    label: t("Ends after"),
    options: [
      { value: "604800", label: t("1 week") },
      { value: "3600", label: t("1 hour") },
      { value: "86400", label: t("1 day") },
      { value: "2592000", label: t("30 days") },
      { value: "", label: t("Never") },
    ],
  });
  const approval = choice({
    label: t("Who uses it"),
    options: [
      !asks && { value: "", label: t("joins at once") },
      { value: "ask", label: t("asks the owner and admins") },
      asks && maySkip && { value: "skip", label: t("joins at once") },
    ].filter((option) => option !== false),
  });
  const guests = check({
    label: t("People without an account become guests"),
    hint: t("Guests see only their groups. Their accounts end with the invite."),
  });
  openForm({
    title: t("New invite"),
    asks: [name.node, uses.node, end.node, approval.node, ...(takesGuests ? [guests.node] : [])],
    act: t("Create"),
    async onSubmit(close) {
      const words = name.input.value.trim();
      const most = uses.input.value.trim();
      const isNumber = /^\d+$/.test(most) && Number(most) >= 1 && Number(most) <= MOST_USES;
      const checks = [
        [name, countChars(words) > MOST && t("At most {MOST} characters.", { MOST })],
        [uses, most !== "" && !isNumber && t("Enter a number from 1 to {MOST}.", { MOST: MOST_USES })],
      ];
      if (!allRight(/** @type {any} */ (checks))) return;
      /** @type {NewInvite} */
      const invite = {};
      if (words) invite.name = words;
      if (most) invite.max_uses = Number(most);
      if (end.input.value) invite.expires_in = Number(end.input.value);
      if (approval.input.value) invite.approval = approval.input.value;
      if (guests.input.checked) invite.guest = true;
      const made = await save(invite);
      close();
      onMade(made);
    },
  });
}
