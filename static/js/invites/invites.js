/**
 * The section for the invites of the open group: links with a name, an end and a number of uses, for those who may
 * make them. The owner and admins see all of them, others their own.
 */

import { createGroupLists } from "../groups/group_lists.js";
import { memberOf } from "../groups/groups.js";
import { may } from "../groups/permissions.js";
import { isReadOnly } from "../groups/standstill.js";
import { exactTime } from "../text/time.js";
import { confirm } from "../ui/confirm.js";
import { copyable } from "../ui/copy.js";
import { openDialog } from "../ui/dialog.js";
import { h, reconcile } from "../ui/dom.js";
import { t } from "../words/words.js";
import { createEmailInvites } from "./email_invites.js";
import { openInvite } from "./invite_form.js";
import { drawn } from "./qr_code.js";

/** @typedef {import("../sync/types.js").Group} Group */
/** @typedef {import("../groups/group_calls.js").Invite} Invite */

/** The line of an invite that cannot be used, by its state. @type {Record<string, () => string>} */
const STATES = {
  expired: () => t("It has ended."),
  used_up: () => t("It is used up."),
};

export function createInvites(/** @type {import("../app/app.js").App} */ app) {
  const rows = h("ul", { class: "group-bots" });
  const lists = createGroupLists({
    app,
    nothing: /** @type {Invite[]} */ ([]),
    load: ({ id }) => app.groups.invites(id),
    mayChange: (type) => type === "invite.update",
    sees: (group) => !isReadOnly(group),
    draw,
  });
  const add = h("button", { class: "button", type: "button", onclick: make }, t("New invite…"));
  let shownId = "";
  const byEmail = createEmailInvites(
    (emails) => app.groups.inviteByEmail(shownId, emails),
    () => {
      const group = lists.group();
      if (group) lists.reload(group);
    },
  );
  const node = h(
    "section",
    { class: "panel-section", "aria-label": t("Invites"), hidden: true },
    h("h3", {}, t("Invites")),
    h("p", { class: "quiet" }, t("Links with a name, an end and a number of uses.")),
    rows,
    h("p", { class: "unsent-actions" }, add),
    byEmail.node,
    lists.trouble,
  );

  function draw(
    /** @type {Invite[]} */ invites,
    /** @type {Group | null} */ group,
    /** @type {string} */ me,
  ) {
    add.hidden = group === null || !may(group, me, "share");
    byEmail.node.hidden = add.hidden;
    if (group && group.id !== shownId) {
      shownId = group.id;
      byEmail.clear();
    }
    node.hidden = add.hidden && invites.length === 0;
    reconcile(
      rows,
      invites.map((invite) => row(invite, group)),
    );
  }

  async function make() {
    const group = lists.group();
    if (!group) return;
    const save = (/** @type {object} */ content) => app.groups.makeInvite(group.id, content);
    const me = app.state.get().snapshot?.user.id ?? "";
    const maySkip = may(group, me, "manage_invites");
    // Without an answer, guests are not offered.
    const options = maySkip ? await app.options().catch(() => null) : null;
    const takesGuests = Boolean(options?.guests);
    const approvals = { asks: group.requires_approval ?? false, maySkip, takesGuests };
    const onMade = (/** @type {Invite} */ invite) => {
      lists.reload(group);
      show(invite);
    };
    openInvite(save, onMade, approvals);
  }

  function askToEnd(/** @type {Invite} */ invite) {
    confirm({
      title: t("End the invite {name}?", { name: nameOf(invite) }),
      words: t("Nobody can join with it any more. Members stay in the group."),
      act: t("End invite"),
      onSure: () => lists.change((group) => app.groups.endInvite(group, invite.id)),
    });
  }

  /** @returns {import("../ui/dom.js").Row} */
  function row(/** @type {Invite} */ invite, /** @type {Group | null} */ group) {
    const name = nameOf(invite);
    const maker = group ? memberOf(group, invite.created_by)?.nickname : undefined;
    const button = (
      /** @type {string} */ words,
      /** @type {string} */ label,
      /** @type {() => unknown} */ onclick,
    ) => h("button", { class: "button", type: "button", "aria-label": label, onclick }, words);
    const line = (/** @type {string | false | undefined} */ words) =>
      words && h("span", { class: "bot-line", dir: "auto" }, words);
    const build = () =>
      h(
        "li",
        { class: "group-bot" },
        h(
          "div",
          { class: "bot-words" },
          h("span", { class: "bot-name" }, h("bdi", { class: "ends" }, name)),
          line(usesOf(invite)),
          line(STATES[invite.state]?.() ?? endOf(invite)),
          line(invite.approval === "ask" && t("Who uses it asks the owner and admins.")),
          line(invite.guest && t("People without an account become guests")),
          line(maker && t("Made by {name}", { name: maker })),
          h(
            "p",
            { class: "unsent-actions" },
            invite.state === "open" &&
              button(t("Show"), t("Show the invite {name}", { name }), () => show(invite)),
            button(t("End"), t("End the invite {name}", { name }), () => askToEnd(invite)),
          ),
        ),
      );
    return { key: invite.id, sign: JSON.stringify([invite, maker]), build };
  }

  return { node, show: lists.show };
}

const nameOf = (/** @type {Invite} */ { name, email }) => name ?? email ?? t("Without a name");

function usesOf(/** @type {Invite} */ { uses, max_uses: most }) {
  if (most !== null) return t("Used {uses} of {most} times", { uses, most });
  return uses === 1 ? t("Used once") : t("Used {uses} times", { uses });
}

const endOf = (/** @type {Invite} */ { expires_at: end }) =>
  end === null ? t("Never ends") : t("Until {time}", { time: exactTime(end) });

/** The window with the link of an invite, to be copied or scanned. */
function show(/** @type {Invite} */ invite) {
  const words =
    invite.approval === "ask"
      ? t("Who opens this link asks to join; the owner or an admin decides.")
      : t("Anyone with this link can join.");
  openDialog({
    title: t("Invite {name}", { name: nameOf(invite) }),
    content: () => [
      h(
        "div",
        { class: "dialog-form" },
        h("p", { class: "quiet" }, words),
        copyable({ label: t("link"), text: invite.url }),
        drawn(invite.url, t("QR code of the link")),
      ),
    ],
  });
}
