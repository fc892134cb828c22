/**
 * The first page of the panel: what a conversation is, its settings, links to the other pages, and last its
 * members.
 *
 * Owns the list of members: the user first, then the owner, then by name.
 */

import { chatHref, convOf, panelHref } from "../app/route.js";
import {
  openAddMember,
  openGroupReport,
  openPerson,
  openPersonReport,
  openPictureDialog,
} from "../app/windows.js";
import { botsOfGroupHref } from "../bots/bots_route.js";
import { botsLink } from "../bots/bots_view.js";
import { createGroupBots } from "../bots/group_bots.js";
import { convOfPair } from "../chats/chats.js";
import { nameOf, pictureOf } from "../conversation/naming.js";
import { createGroupSettings } from "../groups/group_settings.js";
import { isAdmin, isOwner } from "../groups/groups.js";
import { may } from "../groups/permissions.js";
import { createInvites } from "../invites/invites.js";
import { createShareLink } from "../invites/share_link.js";
import { createJoinRequests } from "../members/join_requests.js";
import { createBans } from "../moderation/bans.js";
import { createHeld } from "../moderation/held.js";
import { createReports } from "../moderation/reports.js";
import { createRules } from "../moderation/rules.js";
import { avatar } from "../people/avatar.js";
import { askToBlock } from "../people/block_question.js";
import { endBlock } from "../people/blocking.js";
import { isPresent } from "../people/presence.js";
import { createFinder } from "../search/finder.js";
import { createTopicSettings } from "../topics/topic_settings.js";
import { homeGroup, isTopic } from "../topics/topics.js";
import { fillWith, h, setText } from "../ui/dom.js";
import { icon } from "../ui/icons.js";
import { createVirtualList } from "../ui/virtual_list.js";
import { language, t } from "../words/words.js";

/** @typedef {import("../sync/types.js").Conversation} Conversation */
/** @typedef {import("../sync/types.js").Group} Group */
/** @typedef {import("../sync/types.js").Member} Member */

export function createOverview(/** @type {import("../app/app.js").App} */ app) {
  /** @type {Conversation | null} */
  let shown = null;
  let shownId = "";
  let shownHead = "";
  /** @type {ReturnType<typeof sorted>} */
  let all = [];

  const head = h("div", { class: "overview-head" });
  const about = h("p", { class: "panel-about", dir: "auto" });
  const pagesOf = createPageLinks();
  const count = h("h3", { class: "members-title" });
  const people = h("ul", { class: "members" });
  const add = h(
    "button",
    {
      class: "button button-wide",
      type: "button",
      onclick: () => shown?.group && openAddMember(app, shown.group),
    },
    icon("addPerson"),
    t("Add someone"),
  );
  const picture = h(
    "button",
    { class: "button button-wide", type: "button", onclick: changePicture },
    icon("picture"),
    t("Group picture"),
  );
  const block = h(
    "button",
    { class: "button button-wide button-danger", type: "button", onclick: turnBlock },
    t("Block"),
  );
  const report = h("button", { class: "button button-wide", type: "button", onclick: reportIt });
  const bots = botsLink();
  const groupBots = createGroupBots(app);
  const requests = createJoinRequests(app);
  const share = createShareLink(app);
  const invites = createInvites(app);
  const bans = createBans(app);
  const reports = createReports(app);
  const held = createHeld(app);
  const rules = createRules(app);
  const settings = createGroupSettings(app, [picture]);
  const topic = createTopicSettings(app);
  const finder = createFinder(t("Find a member"), showPeople);
  const members = h("section", { class: "panel-section" }, count, add, finder.node, people);
  const blocking = h("section", { class: "panel-section" }, block, report);
  const botsPlace = h("section", { class: "panel-section" }, bots);
  // Sections that only groups have, before and after the pages of the panel.
  const first = [requests, held, reports, settings].map(({ node }) => node);
  const further = [botsPlace, ...[groupBots, share, invites, bans, rules].map(({ node }) => node)];
  const ofGroup = [...first, ...further, members];
  // Those of a group that a topic has not: who is a member and what the rules are is decided in the group.
  const notOfTopic = [requests.node, settings.node, ...further];
  const body = h(
    "div",
    { class: "panel-body" },
    head,
    about,
    topic.node,
    ...first,
    pagesOf.node,
    ...further,
    blocking,
    members,
  );
  const list = createVirtualList(people, body);

  function changePicture() {
    const id = shown?.group?.id;
    if (!id) return;
    const onSave = (/** @type {File} */ file) => app.setGroupPicture(id, file);
    openPictureDialog({ title: t("Group picture"), onSave });
  }

  function turnBlock() {
    const other = shown?.other;
    if (!other) return;
    if (app.state.get().snapshot?.blocked.includes(other.id)) endBlock(app, other);
    else askToBlock(app, other);
  }

  function reportIt() {
    if (shown?.other) openPersonReport(app, shown.other);
    else if (shown?.group) openGroupReport(app, shown.group);
  }

  function showPeople() {
    const me = app.state.get().snapshot?.user.id ?? "";
    const found = finder.among(all, ({ name }) => name);
    list.show({ keys: found.map(({ id }) => id), row: (at) => row(found[at], me, app) });
  }

  function showHead(/** @type {Conversation} */ conversation, /** @type {string} */ words) {
    const name = nameOf(conversation);
    const of = pictureOf(conversation);
    const sign = JSON.stringify([name, of, words]);
    if (sign === shownHead) return;
    shownHead = sign;
    fillWith(
      head,
      avatar({ ...of, size: "large" }),
      h("p", { class: "overview-name", dir: "auto" }, name),
      words !== "" && h("p", { class: "overview-words quiet" }, words),
    );
  }

  function showGroup(/** @type {Group} */ group, /** @type {string} */ me) {
    picture.hidden = add.hidden = !may(group, me, "add_members") || group.parent !== undefined;
    const known = group.members ?? [];
    bots.setAttribute("href", botsOfGroupHref(group.id));
    setText(count, t("Members"));
    setText(about, group.description ?? "");
    if (group.id !== shownId) finder.clear();
    shownId = group.id;
    all = sorted(known, group, me);
    showPeople();
    topic.show(group, me);
    if (group.parent) return;
    share.show(group, me);
    settings.show(group, me);
  }

  return {
    node: body,
    /** Shows a conversation; null while another page or none is open. */
    show(
      /** @type {Conversation | null} */ conversation,
      /** @type {import("../sync/state.js").State} */ state,
    ) {
      const { group, other } = conversation ?? {};
      const home = group?.parent ? null : (group ?? null);
      for (const part of [groupBots, requests, invites, bans, rules]) part.show(home, state);
      for (const part of [reports, held]) part.show(group ?? null, state);
      if (!conversation || !state.snapshot) return;
      const isBlocked = other !== undefined && state.snapshot.blocked.includes(other.id);
      const online = other && isPresent(conversation, state) ? t("Online") : "";
      const people = group?.members ? memberCount(group.members.length) : online;
      showHead(conversation, isBlocked && other ? t("You blocked {name}.", { name: other.name }) : people);
      if (other) {
        const { name } = other;
        setText(block, isBlocked ? t("Unblock {name}", { name }) : t("Block {name}", { name }));
      }
      if (conversation.conv !== shown?.conv) {
        pagesOf.show(conversation);
        block.hidden = !other;
        if (!group) for (const part of ofGroup) part.hidden = true;
        else for (const part of [settings.node, botsPlace, members]) part.hidden = false;
        if (isTopic(conversation)) for (const part of notOfTopic) part.hidden = true;
        topic.node.hidden = !isTopic(conversation);
        if (!group) setText(about, "");
      }
      // Nobody reports their own group; of a topic, messages are reported.
      blocking.hidden = group?.creator_user_id === state.snapshot.user.id || isTopic(conversation);
      setText(report, t("Report {name}", { name: nameOf(conversation) }));
      const before = shown;
      shown = conversation;
      if (group && group !== before?.group) showGroup(group, state.snapshot.user.id);
    },
  };
}

const memberCount = (/** @type {number} */ count) =>
  count === 1 ? t("1 member") : t("{count} members", { count });

/** The links to the other pages of the panel. */
function createPageLinks() {
  const link = (
    /** @type {Exclude<import("../app/route.js").Panel, "thread" | "details">} */ panel,
    /** @type {import("../ui/icons.js").IconName} */ sign,
    /** @type {string} */ label,
  ) => {
    const node = h("a", { class: "button button-wide" }, icon(sign), h("span", {}, label), icon("next"));
    return { panel, node };
  };
  const links = [
    link("search", "search", t("Search in this conversation")),
    link("notices", "bell", t("Notifications")),
    link("gallery", "gallery", t("Pictures, files and links")),
    link("pinned", "pin", t("Pinned messages")),
    link("polls", "poll", t("Polls")),
    link("events", "calendar", t("Events")),
    link("topics", "topic", t("Topics")),
  ];
  const node = h("nav", { class: "panel-section", "aria-label": t("Details") });
  node.append(h("div", { class: "panel-acts" }, ...links.map((one) => one.node)));
  return {
    node,
    show(/** @type {Conversation} */ { conv, group }) {
      for (const { panel, node: one } of links) {
        one.setAttribute("href", panelHref(conv, panel));
        one.hidden =
          (panel === "polls" && !group) || (panel === "topics" && (!group || Boolean(group.parent)));
      }
    },
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
      isGuest: member.kind === "guest",
      me: member.user_id === me,
    }));
}

function roleOf(/** @type {Member} */ { user_id: id }, /** @type {Group} */ group) {
  if (isOwner(group, id)) return t("Owner");
  return isAdmin(group, id) ? t("Admin") : "";
}

/** @returns {import("../ui/dom.js").Row} */
function row(
  /** @type {ReturnType<typeof sorted>[number]} */ facts,
  /** @type {string} */ me,
  /** @type {import("../app/app.js").App} */ app,
) {
  const { id, name, called, imageUrl, role, isGuest } = facts;
  const person = { id, name: called, imageUrl, isGuest };
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
      isGuest && h("span", { class: "badge" }, t("Guest")),
      !facts.me &&
        h(
          "a",
          { class: "button-icon", href, "aria-label": label, title: label, onclick: write },
          icon("message"),
        ),
    );
  return { key: id, sign: JSON.stringify(facts), build };
}

/** Returns the state of the group, or of a topic's group, at the time of the click, not of when the row was drawn. */
function groupShown(/** @type {import("../app/app.js").App} */ app) {
  const { route, snapshot } = app.state.get();
  return homeGroup(snapshot, snapshot?.conversations[convOf(route) ?? ""]?.group);
}
