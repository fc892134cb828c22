/**
 * The side of the page: my groups, last activity first, and who I am.
 *
 * Owns the rows and moving through them with the arrow keys. Unread is a number and
 * heavier type, and a word for those who do not see either.
 */

import { h, reconcile, setText } from "../dom.js";
import { icon, mark } from "../icons.js";
import { accountHref, groupHref } from "../route.js";
import { isUnread, lastActivity, listed, newest } from "../store.js";
import { oneLine } from "../text.js";
import { isoTime, shortTime } from "../time.js";
import { avatar } from "./avatar.js";
import { openNewGroup } from "./new_group.js";
import { openPictureDialog } from "./picture_dialog.js";

/** @typedef {import("../types.js").Conversation} Conversation */
/** @typedef {import("../text.js").Words} Words */

export function createGroupList(
  /** @type {import("../app.js").App} */ app,
  /** @type {HTMLElement} */ connection,
) {
  const rows = h("ul", { class: "groups", onkeydown: walk });
  const empty = h(
    "div",
    { class: "groups-empty" },
    h("p", {}, "No groups yet."),
    h("p", { class: "quiet" }, "Create one and add the people you want to talk to."),
    h(
      "button",
      { class: "button button-primary", type: "button", onclick: () => openNewGroup(app) },
      "Create a group",
    ),
  );
  const waiting = h("div", { class: "groups-waiting", "aria-hidden": "true" });
  for (let i = 0; i < 5; i += 1) waiting.append(h("span"));

  const newGroup = h(
    "button",
    {
      class: "button-icon",
      type: "button",
      "aria-label": "New group",
      title: "New group",
      onclick: () => openNewGroup(app),
    },
    icon("plus"),
  );
  const me = h("p", { class: "me-name" });
  const meAvatar = h("button", {
    class: "me-picture",
    type: "button",
    "aria-label": "Your picture",
    title: "Your picture",
    onclick: () => openPictureDialog({ title: "Your picture", onSave: app.setAvatar }),
  });
  let shownMe = "";
  const account = h(
    "a",
    { class: "button-icon", href: accountHref, "aria-label": "Account", title: "Account" },
    icon("account"),
  );
  const logout = h(
    "button",
    {
      class: "button-icon",
      type: "button",
      "aria-label": "Log out",
      title: "Log out",
      onclick: () => app.logout(),
    },
    icon("leave"),
  );
  const node = h(
    "div",
    { class: "side" },
    h(
      "header",
      { class: "side-head" },
      h("h1", { class: "brand", tabindex: "-1" }, mark(), "Coterie"),
      newGroup,
    ),
    h("nav", { class: "side-list", "aria-label": "Groups" }, rows, empty, waiting),
    h("footer", { class: "side-foot" }, meAvatar, h("div", { class: "me" }, me, connection), account, logout),
  );

  function show(/** @type {import("../state.js").State} */ { snapshot, route }) {
    const conversations = snapshot ? listed(snapshot) : [];
    const openId = route.name === "group" ? route.groupId : null;
    waiting.hidden = snapshot !== null;
    empty.hidden = snapshot === null || conversations.length > 0;
    const now = Date.now() / 1000;
    reconcile(
      rows,
      conversations.map((conversation) => row(summary(conversation, snapshot?.user.id ?? "", openId, now))),
    );
    if (snapshot) showMe(snapshot.user);
  }

  function showMe(/** @type {import("../types.js").User} */ { id, name, image_url: imageUrl }) {
    const sign = JSON.stringify([id, name, imageUrl]);
    if (sign === shownMe) return;
    shownMe = sign;
    setText(me, name);
    meAvatar.replaceChildren(avatar({ id, name, imageUrl, size: "small" }));
  }

  function walk(/** @type {KeyboardEvent} */ event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    const links = [...rows.querySelectorAll("a")];
    const at = links.indexOf(/** @type {HTMLAnchorElement} */ (document.activeElement));
    const next = links[at + step];
    if (!next) return;
    event.preventDefault();
    next.focus();
  }

  return {
    node,
    show,
    /** Back from the account. */
    focusAccount: () => account.focus(),
    /** Back from a conversation: where this person came from. */
    focus(/** @type {string} */ groupId) {
      const link =
        rows.querySelector(`a[href="${groupHref(groupId)}"]`) ?? rows.querySelector("a") ?? newGroup;
      /** @type {HTMLElement} */ (link).focus();
    },
  };
}

/** Everything that one row shows. */
function summary(
  /** @type {Conversation} */ conversation,
  /** @type {string} */ me,
  /** @type {string | null} */ openId,
  /** @type {number} */ now,
) {
  const { group, outbox } = conversation;
  const unsent = outbox.at(-1);
  const message = newest(conversation);
  const open = group.id === openId;
  return {
    id: group.id,
    name: group.name,
    imageUrl: group.image_url,
    at: isoTime(lastActivity(conversation)),
    time: shortTime(lastActivity(conversation), now),
    from: unsent || message?.user_id === me ? "You" : message?.system ? "" : message?.name,
    preview: unsent || message ? oneLine(/** @type {Words} */ (unsent ?? message)) : "No messages yet",
    failed: unsent?.state === "failed",
    unread: isUnread(conversation) && !open ? Math.max(1, conversation.unread) : 0,
    open,
  };
}

/** @returns {import("../dom.js").Row} */
function row(/** @type {ReturnType<typeof summary>} */ facts) {
  return { key: facts.id, sign: JSON.stringify(facts), build: () => groupRow(facts) };
}

/** How much is unread; beyond two digits only that it is much. */
function badge(/** @type {number} */ unread) {
  const shown = unread > 99 ? "99+" : String(unread);
  return h("span", { class: "badge" }, h("span", { class: "hidden" }, "Unread: "), shown);
}

function groupRow(/** @type {ReturnType<typeof summary>} */ facts) {
  const { id, name, imageUrl } = facts;
  return h(
    "li",
    {},
    h(
      "a",
      {
        class: facts.unread > 0 ? "group group-unread" : "group",
        href: groupHref(id),
        "aria-current": facts.open && "page",
      },
      avatar({ id, name, imageUrl, shape: "group" }),
      h(
        "span",
        { class: "group-words" },
        h(
          "span",
          { class: "group-top" },
          h("span", { class: "group-name" }, name),
          h("time", { class: "group-time", datetime: facts.at }, facts.time),
        ),
        h(
          "span",
          { class: "group-bottom" },
          h(
            "span",
            { class: "group-preview" },
            facts.failed && icon("warning"),
            facts.failed && "Not sent: ",
            facts.from && !facts.failed && h("span", { class: "group-from" }, `${facts.from}: `),
            facts.preview,
          ),
          facts.unread > 0 && badge(facts.unread),
        ),
      ),
    ),
  );
}
