/** The operators' invitations, with which people create accounts: the list, and the windows that make and end one. */

import { drawn } from "../invites/qr_code.js";
import { ApiError } from "../sync/api.js";
import { countChars } from "../text/text.js";
import { exactTime } from "../text/time.js";
import { copyable } from "../ui/copy.js";
import { openDialog } from "../ui/dialog.js";
import { openForm } from "../ui/dialog_form.js";
import { h, setText } from "../ui/dom.js";
import { allRight, choice, field } from "../ui/field.js";
import { t } from "../words/words.js";
import { createAdminList } from "./admin_list.js";
import { reasonField } from "./reason_field.js";

/** @typedef {import("./admin_calls.js").AccountInvite} AccountInvite */

/** The greatest length of a name, in characters. */
const MOST = 60;
/** How many people may use an invitation, at most. */
const MOST_USES = 1_000;
const DAY_SECONDS = 86_400;

/** @type {Record<AccountInvite["state"], string>} */
const STATES = {
  open: t("It can be used."),
  expired: t("It has ended."),
  used_up: t("It is used up."),
  ended: t("An operator ended it."),
};

export function createAdminInvitations(/** @type {import("./admin_calls.js").AdminCalls} */ calls) {
  const outcome = h("p", { class: "outcome", role: "status" });
  const make = h("button", { class: "button", type: "button", onclick: openNew }, t("New invitation"));
  let decides = false;
  const list = createAdminList({
    label: t("Invitations"),
    none: t(
      "There are no invitations yet. An invitation is an address at which people create an account, also where nobody else may.",
    ),
    load: async () => ({ entries: (await calls.invites()).invites, before: null }),
    row,
  });
  const node = h("section", {}, h("p", { class: "unsent-actions" }, make), outcome, list.node);

  /** @returns {import("../ui/dom.js").Row} */
  function row(/** @type {AccountInvite} */ invite) {
    const { id, state, created_by: by } = invite;
    const name = nameOf(invite);
    const line = (/** @type {string} */ words) => h("p", { class: "quiet" }, words);
    const build = () =>
      h(
        "li",
        { class: "key" },
        h(
          "div",
          { class: "key-words" },
          h("p", { class: "key-name", dir: "auto" }, name),
          line(`${usesOf(invite)} · ${endOf(invite)}`),
          line(STATES[state] ?? state),
          line(t("Made by {name}", { name: by.name ?? by.user_id })),
          decides &&
            state === "open" &&
            h(
              "div",
              { class: "button-row" },
              button(t("Show"), t("Show the invitation {name}", { name }), () => show(invite)),
              button(t("End"), t("End the invitation {name}", { name }), () => openEnd(invite)),
            ),
        ),
      );
    return { key: id, sign: JSON.stringify([invite, decides]), build };
  }

  function openNew() {
    setText(outcome, "");
    const name = field({
      label: t("Name (optional)"),
      name: "name",
      autocomplete: "off",
      hint: t("Only operators see it."),
    });
    const uses = field({
      label: t("How many people may use it"),
      name: "uses",
      inputmode: "numeric",
      autocomplete: "off",
      value: "1",
    });
    const end = choice({
      label: t("Ends after"),
      options: [
        { value: String(DAY_SECONDS), label: t("1 day") },
        { value: String(7 * DAY_SECONDS), label: t("7 days") },
        { value: String(30 * DAY_SECONDS), label: t("30 days") },
        { value: "", label: t("Never") },
      ],
      value: String(7 * DAY_SECONDS),
    });
    const reason = reasonField();
    openForm({
      title: t("New invitation"),
      asks: [name.node, uses.node, end.node, reason.node],
      act: t("Create"),
      async onSubmit(close) {
        const words = name.input.value.trim();
        const why = reason.input.value.trim();
        const most = uses.input.value.trim();
        const isNumber = /^\d+$/.test(most) && Number(most) >= 1 && Number(most) <= MOST_USES;
        const fine = allRight([
          [name, countChars(words) > MOST && t("At most {MOST} characters.", { MOST })],
          [uses, !isNumber && t("Enter a number from 1 to {MOST}.", { MOST: MOST_USES })],
          [reason, why === "" && t("Enter a reason.")],
        ]);
        if (!fine) return;
        const { invite } = await calls.makeInvite({
          ...(words && { name: words }),
          max_uses: Number(most),
          expires_in: end.input.value ? Number(end.input.value) : null,
          reason: why,
        });
        close();
        show(invite);
        list.load();
      },
    });
  }

  function openEnd(/** @type {AccountInvite} */ invite) {
    setText(outcome, "");
    const reason = reasonField();
    const name = nameOf(invite);
    const words = t("Nobody can create an account with it any more. Existing accounts stay.");
    openForm({
      title: t("End the invitation {name}?", { name }),
      asks: [h("p", { class: "quiet" }, words), reason.node],
      act: t("End invitation"),
      danger: true,
      async onSubmit(close) {
        const why = reason.read();
        if (why === null) return;
        await calls.endInvite(invite.id, why).catch(unlessGone);
        close();
        await list.load();
        // The button that opened the window is gone.
        make.focus();
        setText(outcome, t("The invitation {name} was ended.", { name }));
      },
    });
  }

  return {
    node,
    /** Loads the list; `role` decides whether invitations can be made and ended. */
    load(/** @type {import("./admin_calls.js").OperatorRole} */ role) {
      decides = role !== "auditor";
      make.hidden = !decides;
      setText(outcome, "");
      return list.load();
    },
  };
}

/** Throws the error again, unless the invitation does not exist any more. */
function unlessGone(/** @type {unknown} */ error) {
  if (!(error instanceof ApiError && error.status === 404)) throw error;
}

const nameOf = (/** @type {AccountInvite} */ { name }) => name ?? t("Without a name");

const usesOf = (/** @type {AccountInvite} */ { uses, max_uses: most }) =>
  t("Used {uses} of {most} times", { uses, most });

const endOf = (/** @type {AccountInvite} */ { expires_at: end }) =>
  end === null ? t("Never ends") : t("Until {time}", { time: exactTime(end) });

const button = (
  /** @type {string} */ words,
  /** @type {string} */ label,
  /** @type {() => unknown} */ onclick,
) => h("button", { class: "button", type: "button", "aria-label": label, onclick }, words);

/** The window with the address of an invitation, to be copied or scanned. */
function show(/** @type {AccountInvite} */ invite) {
  openDialog({
    title: t("Invitation {name}", { name: nameOf(invite) }),
    content: () => [
      h(
        "div",
        { class: "dialog-form" },
        h("p", { class: "quiet" }, t("Anyone with this link can create an account.")),
        copyable({ label: t("link"), text: invite.url }),
        drawn(invite.url, t("QR code of the link")),
      ),
    ],
  });
}
