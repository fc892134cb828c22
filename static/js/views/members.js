/**
 * The panel with the members of the open group.
 *
 * Owns the list: the user first, then the owner, then by name. On narrow screens the panel covers the
 * conversation. Escape and its close button lead back.
 */

import { botsOfGroupHref } from "../bots_route.js";
import { convOfPair } from "../chats.js";
import { h, setText } from "../dom.js";
import { isAdmin, isOwner } from "../groups.js";
import { icon } from "../icons.js";
import { CLOSES } from "../page_history.js";
import { may } from "../permissions.js";
import { chatHref, convOf, groupHref } from "../route.js";
import { convOfGroup } from "../store.js";
import { language, t } from "../words.js";
import { avatar } from "./avatar.js";
import { botsLink } from "./bots.js";
import { createFinder } from "./finder.js";
import { createGroupBots } from "./group_bots.js";
import { createGroupSettings } from "./group_settings.js";
import { createJoinRequests } from "./join_requests.js";
import { createShareLink } from "./share_link.js";
import { createVirtualList } from "./virtual_list.js";
import { openAddMember, openPerson, openPictureDialog } from "./windows.js";

/** @typedef {import("../types.js").Group} Group */
/** @typedef {import("../types.js").Member} Member */

export function createMembers(/** @type {import("../app.js").App} */ app) {
  /** @type {Group | null} */
  let shownGroup = null;
  let shownId = "";
  /** @type {ReturnType<typeof sorted>} */
  let all = [];

  const title = h("h2", { class: "panel-title", tabindex: "-1" }, t("Members"));
  const close = h("a", { class: "button-icon", "aria-label": t("Close members"), ...CLOSES }, icon("close"));
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
    t("Add someone"),
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
        openPictureDialog({ title: t("Group picture"), onSave });
      },
    },
    icon("picture"),
    t("Group picture"),
  );
  const bots = botsLink();
  const groupBots = createGroupBots(app);
  const requests = createJoinRequests(app);
  const share = createShareLink(app);
  const settings = createGroupSettings(app);
  const finder = createFinder(t("Find a member"), showPeople);
  const body = h(
    "div",
    { class: "panel-body" },
    about,
    requests.node,
    add,
    picture,
    bots,
    finder.node,
    people,
    groupBots.node,
    share.node,
    settings.node,
  );
  const list = createVirtualList(people, body);
  const node = h(
    "aside",
    { class: "panel", "aria-label": t("Members") },
    h("header", { class: "panel-head" }, title, close),
    body,
  );

  function showPeople() {
    const me = app.state.get().snapshot?.user.id ?? "";
    const found = finder.among(all, ({ name }) => name);
    list.show({ keys: found.map(({ id }) => id), row: (at) => row(found[at], me, app) });
  }

  return {
    node,
    show(/** @type {import("../state.js").State} */ state) {
      const { snapshot, route } = state;
      const open = route.name === "group" && route.panel === "members" && snapshot;
      const group = open ? snapshot.conversations[convOfGroup(route.groupId)]?.group : null;
      node.hidden = !group;
      groupBots.show(group ?? null, state);
      requests.show(group ?? null, state);
      if (!open || !group || group === shownGroup) return;
      shownGroup = group;
      add.hidden = picture.hidden = !may(group, snapshot.user.id, "add_members");
      const members = group.members ?? [];
      close.setAttribute("href", groupHref(group.id));
      bots.setAttribute("href", botsOfGroupHref(group.id));
      setText(title, members.length === 1 ? t("1 member") : t("{count} members", { count: members.length }));
      setText(about, group.description ?? "");
      const me = snapshot.user.id;
      if (group.id !== shownId) finder.clear();
      shownId = group.id;
      all = sorted(members, group, me);
      showPeople();
      share.show(group, me);
      settings.show(group, me);
    },
    focus: () => title.focus(),
  };
}

/** One collator: many times as fast as `localeCompare` for each pair of names. */
const byName = new Intl.Collator(language, { numeric: true }).compare;

/** Returns everything that each row shows, in the order of the rows. */
function sorted(/** @type {Member[]} */ members, /** @type {Group} */ group, /** @type {string} */ me) {
  const rank = (/** @type {Member} */ { user_id: id }) =>
    id === me ? 0 : id === group.creator_user_id ? 1 : 2;
  return [...members]
    .sort((a, b) => rank(a) - rank(b) || byName(a.nickname, b.nickname))
    .map((member) => ({
      id: member.user_id,
      name: member.nickname,
      called: member.name ?? member.nickname,
      imageUrl: member.image_url,
      role: roleOf(member, group),
      me: member.user_id === me,
    }));
}

function roleOf(/** @type {Member} */ { user_id: id }, /** @type {Group} */ group) {
  if (isOwner(group, id)) return t("Owner");
  return isAdmin(group, id) ? t("Admin") : "";
}

/** @returns {import("../dom.js").Row} */
function row(
  /** @type {ReturnType<typeof sorted>[number]} */ facts,
  /** @type {string} */ me,
  /** @type {import("../app.js").App} */ app,
) {
  const { id, name, called, imageUrl, role } = facts;
  const person = { id, name: called, imageUrl };
  const about = () => openPerson(app, { ...person, name }, groupShown(app));
  const write = () => app.people.meet(person);
  const href = chatHref(convOfPair(me, id));
  const label = t("Message {name}", { name });
  const build = () =>
    h(
      "li",
      { class: "member" },
      avatar({ id, name, imageUrl }),
      facts.me
        ? h("span", { class: "member-name" }, h("bdi", {}, name), h("span", { class: "quiet" }, t(" (you)")))
        : h(
            "button",
            { class: "member-name", type: "button", title: t("About {name}", { name }), onclick: about },
            h("bdi", { class: "ends" }, name),
          ),
      role && h("span", { class: "badge" }, role),
      !facts.me &&
        h(
          "a",
          { class: "button-icon", href, "aria-label": label, title: label, onclick: write },
          icon("message"),
        ),
    );
  return { key: id, sign: JSON.stringify(facts), build };
}

/** Returns the group's state at the time of the click, not of when the row was drawn. */
function groupShown(/** @type {import("../app.js").App} */ app) {
  const { route, snapshot } = app.state.get();
  return snapshot?.conversations[convOf(route) ?? ""]?.group;
}
