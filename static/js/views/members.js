/**
 * The panel with the people of the open group.
 *
 * Owns the list: me first, then the owner, then by name. On narrow screens it covers
 * the conversation. Escape and its close button lead back.
 */

import { botsOfGroupHref } from "../bots_route.js";
import { h, reconcile, setText } from "../dom.js";
import { icon } from "../icons.js";
import { groupHref } from "../route.js";
import { convOfGroup } from "../store.js";
import { openAddMember } from "./add_member.js";
import { avatar } from "./avatar.js";
import { botsLink } from "./bots.js";
import { openPictureDialog } from "./picture_dialog.js";

/** @typedef {import("../types.js").Group} Group */
/** @typedef {import("../types.js").Member} Member */

export function createMembers(/** @type {import("../app.js").App} */ app) {
  /** @type {Group | null} */
  let shownGroup = null;

  const title = h("h2", { class: "panel-title", tabindex: "-1" }, "Members");
  const close = h("a", { class: "button-icon", "aria-label": "Close members" }, icon("close"));
  const about = h("p", { class: "panel-about" });
  const people = h("ul", { class: "members" });
  const add = h(
    "button",
    {
      class: "button button-wide",
      type: "button",
      onclick: () => shownGroup && openAddMember(app, shownGroup),
    },
    icon("addPerson"),
    "Add someone",
  );
  const picture = h(
    "button",
    {
      class: "button button-wide",
      type: "button",
      onclick: () => {
        const id = shownGroup?.id;
        if (!id) return;
        const onSave = (/** @type {File} */ file) => app.setGroupPicture(id, file);
        openPictureDialog({ title: "Group picture", onSave });
      },
    },
    icon("picture"),
    "Group picture",
  );
  const bots = botsLink();
  const node = h(
    "aside",
    { class: "panel", "aria-label": "Members" },
    h("header", { class: "panel-head" }, title, close),
    h("div", { class: "panel-body" }, about, add, picture, bots, people),
  );

  return {
    node,
    show(/** @type {import("../state.js").State} */ { snapshot, route }) {
      const open = route.name === "group" && route.panel === "members" && snapshot;
      const group = open ? snapshot.conversations[convOfGroup(route.groupId)]?.group : null;
      node.hidden = !group;
      if (!open || !group || group === shownGroup) return;
      shownGroup = group;
      const members = group.members ?? [];
      close.setAttribute("href", groupHref(group.id));
      bots.setAttribute("href", botsOfGroupHref(group.id));
      setText(title, members.length === 1 ? "1 member" : `${members.length} members`);
      setText(about, group.description ?? "");
      reconcile(people, sorted(members, group, snapshot.user.id).map(row));
    },
    focus: () => title.focus(),
  };
}

/** Everything that one row shows, in the order of the rows. */
function sorted(/** @type {Member[]} */ members, /** @type {Group} */ group, /** @type {string} */ me) {
  const rank = (/** @type {Member} */ { user_id: id }) =>
    id === me ? 0 : id === group.creator_user_id ? 1 : 2;
  return [...members]
    .sort((a, b) => rank(a) - rank(b) || a.nickname.localeCompare(b.nickname))
    .map((member) => ({
      id: member.user_id,
      name: member.nickname,
      imageUrl: member.image_url,
      role: roleOf(member, group),
      me: member.user_id === me,
    }));
}

function roleOf(/** @type {Member} */ member, /** @type {Group} */ group) {
  if (member.user_id === group.creator_user_id) return "Owner";
  return member.roles?.includes("admin") ? "Admin" : "";
}

/** @returns {import("../dom.js").Row} */
function row(/** @type {ReturnType<typeof sorted>[number]} */ facts) {
  const { id, name, imageUrl, role, me } = facts;
  const build = () =>
    h(
      "li",
      { class: "member" },
      avatar({ id, name, imageUrl }),
      h("span", { class: "member-name" }, name, me && h("span", { class: "quiet" }, " (you)")),
      role && h("span", { class: "badge" }, role),
    );
  return { key: id, sign: JSON.stringify(facts), build };
}
