/** Topics in the store: conversations with the members of their group, which stand and end with it. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { panelHref, parseRoute } from "../../../static/js/app/route.js";
import { fullNameOf, nameOf, pictureOf } from "../../../static/js/conversation/naming.js";
import { listView } from "../../../static/js/conversation_list/list_view.js";
import { rowOf, snapshotOf } from "../../../static/js/device/device_copy.js";
import { createKept } from "../../../static/js/device/kept.js";
import { isMuted } from "../../../static/js/groups/groups.js";
import { may } from "../../../static/js/groups/permissions.js";
import { isUnread, newest } from "../../../static/js/sync/log.js";
import {
  applyEvent,
  archivedGroups,
  fill,
  fillTopic,
  findable,
  fromSync,
  headsOf,
  isApart,
  listed,
  needsFilling,
  unreadCount,
  withMembersOf,
  withMore,
} from "../../../static/js/sync/store.js";
import { saidIn } from "../../../static/js/text/system_line.js";
import {
  homeGroup,
  isTopic,
  topicsOf,
  unreadIn,
  withListedTopics,
  withTopic,
  withTopicsShown,
} from "../../../static/js/topics/topics.js";

/** @typedef {import("../../../static/js/sync/types.js").Snapshot} Snapshot */

const ANA = { id: "10", name: "Ana" };
const BEN = { id: "11", name: "Ben" };
const MADE = 1_600_000_000;
const LATER = 1_700_000_000;

const member = (/** @type {{ id: string, name: string }} */ user) => ({
  id: `m${user.id}`,
  user_id: user.id,
  nickname: user.name,
});

const group = (/** @type {string} */ id, facts = {}) => ({
  id,
  name: `Group ${id}`,
  creator_user_id: BEN.id,
  created_at: MADE + Number(id),
  members: [member(ANA), member(BEN)],
  ...facts,
});

const topic = (/** @type {number} */ id, /** @type {number} */ parent = 1, facts = {}) => ({
  id,
  parent_id: parent,
  topic: `Topic ${id}`,
  description: null,
  avatar_url: null,
  type: /** @type {const} */ ("private"),
  creator_user_id: 11,
  created_at: MADE + id,
  updated_at: MADE + id,
  ...facts,
});

const message = (/** @type {number} */ number, facts = {}) => ({
  id: `1700000000${String(number).padStart(8, "0")}`,
  source_guid: `guid-${number}`,
  created_at: LATER + number,
  user_id: BEN.id,
  name: "Ben",
  text: `line ${number}`,
  favorited_by: [],
  attachments: [],
  ...facts,
});

const marks = { messages: [], n: 5, read_n: 5, unread: 0 };

/** Groups 1 and 2, and topics 30 and 31 of group 1. */
const start = (facts = {}, topics = [topic(31), topic(30)]) =>
  fromSync({
    c: "c",
    user: ANA,
    groups: [
      { group: group("1", facts), ...marks },
      { group: group("2"), ...marks },
    ],
    topics: topics.map((one) => ({ topic: one, ...marks })),
  });

const event = (
  /** @type {string} */ conv,
  /** @type {number} */ n,
  /** @type {string} */ type,
  data = {},
) => ({
  c: `c${n}`,
  conv,
  n,
  type,
  data,
});

const convs = (/** @type {readonly { conv: string }[]} */ some) => some.map(({ conv }) => conv);
const names = (/** @type {Snapshot} */ snapshot) => topicsOf(snapshot, "g:1").map(nameOf);

test("a topic has the members of its group, and facts of its own", () => {
  const snapshot = start();
  const one = snapshot.conversations["g:30"];
  assert.ok(isTopic(one) && !isTopic(snapshot.conversations["g:1"]));
  assert.equal(one.group.id, "30");
  assert.deepEqual(one.group.parent, { id: "1", name: "Group 1" });
  assert.equal(one.group.members, snapshot.conversations["g:1"].group?.members);
  assert.equal(fullNameOf(one), "Topic 30 · Group 1");
  assert.equal(pictureOf(one).name, "#");
  assert.equal(homeGroup(snapshot, one.group)?.id, "1");
  assert.equal(headsOf(snapshot)["g:30"], 5);
});

test("topics stand below their group, the oldest first", () => {
  const snapshot = start();
  assert.deepEqual(convs(listed(snapshot)), ["g:2", "g:1"]);
  const all = ["g:2", "g:1", "g:30", "g:31"];
  assert.deepEqual(convs(findable(snapshot)), all);
  const { shown } = listView(snapshot, "");
  assert.deepEqual(convs(withTopicsShown(snapshot, shown, new Set(), null)), all);
  const folded = new Set(["g:1"]);
  assert.deepEqual(convs(withTopicsShown(snapshot, shown, folded, null)), ["g:2", "g:1"]);
  assert.deepEqual(convs(withTopicsShown(snapshot, shown, folded, "g:31")), ["g:2", "g:1", "g:31"]);
});

test("a message in a topic lifts its group and counts as unread", () => {
  const before = start();
  const snapshot = applyEvent(before, event("g:30", 6, "line.create", message(1, { parent_id: "1" })));
  assert.deepEqual(convs(listed(snapshot)), ["g:1", "g:2"]);
  assert.equal(snapshot.conversations["g:1"].unread, 0);
  assert.equal(snapshot.conversations["g:30"].unread, 1);
  assert.equal(unreadCount(snapshot), 1);
  assert.equal(applyEvent(snapshot, event("g:30", 6, "line.create", message(1))), snapshot);
  const again = fromSync({
    c: "c",
    user: ANA,
    groups: [
      { group: group("1"), ...marks },
      { group: group("2"), ...marks },
    ],
    topics: [{ topic: topic(30), ...marks, messages: [message(1)] }],
  });
  assert.deepEqual(convs(listed(again)), ["g:1", "g:2"]);
});

test("folded topics are summed up, without the open one", () => {
  const said = [1, 2].reduce(
    (snapshot, n) => applyEvent(snapshot, event("g:30", 5 + n, "line.create", message(n))),
    start(),
  );
  const mention = message(3, { attachments: [{ type: "mentions", user_ids: [ANA.id], loci: [[0, 4]] }] });
  const snapshot = applyEvent(said, event("g:31", 6, "line.create", mention));
  const topics = topicsOf(snapshot, "g:1");
  assert.deepEqual(unreadIn(topics, null), { unread: 3, mentions: 1 });
  assert.deepEqual(unreadIn(topics, "g:30"), { unread: 1, mentions: 1 });
});

test("events make, change and remove a topic", () => {
  const made = applyEvent(start(), event("g:1", 6, "topic.create", topic(32)));
  assert.deepEqual(names(made), ["Topic 30", "Topic 31", "Topic 32"]);
  assert.ok(made.conversations["g:32"].complete);
  const said = applyEvent(made, event("g:32", 1, "line.create", message(1)));
  const renamed = applyEvent(said, event("g:1", 7, "topic.update", topic(32, 1, { topic: "Ropes" })));
  assert.deepEqual(names(renamed), ["Topic 30", "Topic 31", "Ropes"]);
  assert.equal(newest(renamed.conversations["g:32"])?.text, "line 1");
  const removed = applyEvent(renamed, event("g:1", 8, "topic.delete", { id: 32, parent_id: 1 }));
  assert.deepEqual(names(removed), ["Topic 30", "Topic 31"]);
  assert.equal(removed.conversations["g:32"], undefined);
  assert.equal(applyEvent(removed, event("g:1", 6, "topic.create", topic(32))), removed);
});

test("the answer that makes a topic and its event make one topic", () => {
  const made = withTopic(start(), topic(32));
  const said = applyEvent(made, event("g:32", 1, "line.create", message(1)));
  const twice = applyEvent(said, event("g:1", 6, "topic.create", topic(32)));
  assert.deepEqual(names(twice), ["Topic 30", "Topic 31", "Topic 32"]);
  assert.equal(twice.conversations["g:32"].messages.length, 1);
});

test("a change of the group changes its topics", () => {
  const renamed = applyEvent(start(), event("g:1", 6, "group.update", group("1", { name: "Climbers" })));
  assert.equal(fullNameOf(renamed.conversations["g:30"]), "Topic 30 · Climbers");
  const carl = { ...member({ id: "12", name: "Carl" }), roles: ["user"] };
  const joined = applyEvent(renamed, event("g:1", 7, "membership.create", { memberships: [carl] }));
  assert.equal(joined.conversations["g:31"].group?.members?.length, 3);
  const loaded = withMembersOf(start({ members: null }), "g:1", [member(ANA)]);
  assert.equal(loaded.conversations["g:30"].group?.members?.length, 1);
});

test("topics go with their group", () => {
  const left = { memberships: [{ ...member(ANA) }] };
  for (const [type, data] of /** @type {const} */ ([
    ["membership.delete", left],
    ["group.delete", {}],
  ])) {
    const snapshot = applyEvent(start(), event("g:1", 6, type, data));
    assert.deepEqual(Object.keys(snapshot.conversations), ["g:2"]);
  }
  const archived = start({ archived_at: LATER });
  assert.deepEqual(convs(archivedGroups(archived)), ["g:1"]);
  assert.ok(isApart(archived.conversations["g:30"]));
  assert.deepEqual(convs(findable(archived)), ["g:2", "g:1", "g:30", "g:31"]);
  assert.ok(!may(/** @type {any} */ (archived.conversations["g:30"].group), BEN.id, "post"));
});

test("the type of a topic decides who posts in it", () => {
  const one = (/** @type {"private" | "announcement"} */ type, facts = {}) =>
    /** @type {any} */ (start(facts, [topic(30, 1, { type })]).conversations["g:30"].group);
  assert.ok(may(one("private"), ANA.id, "post"));
  assert.ok(may(one("private", { type: "announcement" }), ANA.id, "post"));
  assert.ok(!may(one("announcement"), ANA.id, "post"));
  assert.ok(may(one("announcement"), BEN.id, "post"));
  assert.ok(may(one("announcement"), BEN.id, "manage_topics"));
  assert.ok(!may(one("private"), ANA.id, "manage_topics"));
});

test("a topic is muted by itself or with its group", () => {
  const quiet = (/** @type {Snapshot} */ { conversations }, /** @type {string} */ conv) =>
    isMuted(/** @type {any} */ (conversations[conv].group), ANA.id);
  const mute = (/** @type {number | null} */ until) =>
    event("u:10", 1, "mute", { conversation_id: "30", muted_until: until });
  const muted = applyEvent(start(), mute(253_402_300_800));
  assert.deepEqual([quiet(muted, "g:30"), quiet(muted, "g:31"), quiet(muted, "g:1")], [true, false, false]);
  const renamed = applyEvent(muted, event("g:1", 6, "topic.update", topic(30, 1, { topic: "Ropes" })));
  assert.ok(quiet(renamed, "g:30"));
  assert.ok(!quiet(applyEvent(renamed, mute(null)), "g:30"));
  const all = start({ members: [{ ...member(ANA), muted: true }, member(BEN)] });
  assert.deepEqual([quiet(all, "g:30"), quiet(all, "g:1")], [true, true]);
});

test("a joined group brings its topics, as read", () => {
  const page = { messages: [message(1)], complete: false };
  const messages = { count: 7, last_message_id: message(4).id, last_message_created_at: LATER + 4 };
  const preview = { nickname: "Ben", text: "rope at six" };
  const joined = withListedTopics(fill(start(), group("3"), page), [
    { ...topic(40, 3), messages: { ...messages, preview } },
    { ...topic(41, 3), messages: { count: 0, last_message_id: null, last_message_created_at: null } },
  ]);
  assert.deepEqual(convs(topicsOf(joined, "g:3")), ["g:40", "g:41"]);
  const one = joined.conversations["g:40"];
  assert.equal(newest(one)?.text, "rope at six");
  assert.deepEqual([one.complete, one.count, isUnread(one)], [false, 7, false]);
  assert.ok(joined.conversations["g:41"].complete);
  const said = applyEvent(joined, event("g:40", 9, "line.create", message(5)));
  assert.equal(said.conversations["g:40"].unread, 1);
});

test("a message of an unknown topic loads the topic of its group", () => {
  const heard = applyEvent(start(), event("g:50", 9, "line.create", message(9, { parent_id: "1" })));
  const [waiting] = needsFilling(heard);
  assert.equal(waiting.group.parent?.id, "1");
  assert.deepEqual(names(heard), ["Topic 30", "Topic 31"]);
  const messages = { count: 2, last_message_id: message(9).id, last_message_created_at: LATER + 9 };
  const page = { messages: [message(8)], complete: false };
  const filled = fillTopic(heard, { ...topic(50), messages }, page);
  assert.deepEqual(names(filled), ["Topic 30", "Topic 31", "Topic 50"]);
  assert.deepEqual(
    filled.conversations["g:50"].messages.map(({ text }) => text),
    ["line 8", "line 9"],
  );
  assert.deepEqual(convs(listed(filled)), ["g:1", "g:2"]);
});

test("a list of topics leaves the events of a topic that is being loaded", () => {
  const heard = [event("g:50", 8, "line.create", message(8)), event("g:51", 3, "pin", { id: "1" })];
  const before = heard.reduce(applyEvent, start());
  const messages = { count: 0, last_message_id: null, last_message_created_at: null };
  const listing = [50, 51].map((id) => ({ ...topic(id), messages }));
  const after = withListedTopics(before, listing);
  assert.deepEqual(
    needsFilling(after).map(({ conv, group: { parent }, filling }) => [conv, parent?.id, filling?.length]),
    [
      ["g:50", "1", 1],
      ["g:51", "1", 1],
    ],
  );
  const filled = fillTopic(after, listing[0], { messages: [], complete: true });
  assert.equal(newest(filled.conversations["g:50"])?.text, "line 8");
});

test("topics find a group that comes with a later part of the snapshot", () => {
  const before = fromSync({
    c: "c",
    user: ANA,
    groups: [{ group: group("2"), ...marks }],
    topics: [{ topic: topic(30), ...marks }],
    more_groups: true,
  });
  assert.deepEqual(convs(findable(before)), ["g:2"]);
  const whole = withMore(before, { groups: [{ group: group("1"), ...marks }] }, new Set());
  assert.deepEqual(convs(findable(whole)), ["g:2", "g:1", "g:30"]);
  assert.equal(fullNameOf(whole.conversations["g:30"]), "Topic 30 · Group 1");
});

test("a topic in short form shows its newest message, and has others to load", () => {
  const snapshot = fromSync({
    c: "c",
    user: ANA,
    groups: [{ group: group("1"), ...marks }],
    topics: [{ topic: topic(30), ...marks, last_message: message(7) }],
    more_topics: true,
  });
  const one = snapshot.conversations["g:30"];
  assert.equal(newest(one)?.text, "line 7");
  assert.deepEqual([one.complete, snapshot.isPartial], [false, true]);
});

test("this device keeps topics with their group", () => {
  const snapshot = start();
  const rows = findable(snapshot).map((one) => rowOf(one, ANA.id));
  const owner = { mark: "m", user: ANA, blocked: [], at: LATER };
  const copy = snapshotOf(owner, structuredClone(rows));
  assert.deepEqual(convs(findable(copy)), convs(findable(snapshot)));
  assert.equal(copy.conversations["g:30"].group?.members?.length, 2);
  const orphans = snapshotOf(owner, structuredClone(rows.filter(({ conv }) => conv !== "g:1")));
  assert.deepEqual(Object.keys(orphans.conversations), ["g:2"]);
});

test("a browser keeps which groups are folded until the account logs out", () => {
  /** @type {Map<string, string>} */
  const items = new Map();
  const shelf = {
    getItem: (/** @type {string} */ key) => items.get(key) ?? null,
    setItem: (/** @type {string} */ key, /** @type {string} */ value) => void items.set(key, value),
    removeItem: (/** @type {string} */ key) => void items.delete(key),
    key: (/** @type {number} */ at) => [...items.keys()][at] ?? null,
    get length() {
      return items.size;
    },
  };
  const kept = createKept(() => shelf);
  kept.keepFoldedTopics("10", ["g:1", "g:2"]);
  assert.deepEqual([kept.foldedTopics("10"), kept.foldedTopics("11")], [["g:1", "g:2"], []]);
  kept.forgetSent("10");
  assert.deepEqual(kept.foldedTopics("10"), []);
});

test("the page of topics has an address", () => {
  assert.equal(panelHref("g:1", "topics"), "#/groups/1/topics");
  assert.deepEqual(parseRoute("#/groups/1/topics"), { name: "group", groupId: "1", panel: "topics" });
});

test("system lines about topics equal the server's text in English", () => {
  const user = { id: 10, nickname: "Ana" };
  const named = { id: 30, name: "Ropes" };
  for (const [type, data, said] of /** @type {const} */ ([
    ["created", {}, "Ana created the topic Ropes."],
    ["removed", {}, "Ana removed the topic Ropes."],
    ["name_change", { name: "Knots" }, "Ana renamed the topic Ropes to Knots."],
    ["description_change", { description: "old" }, "Ana changed what the topic Ropes is about: old"],
    ["description_change", { description: "" }, "Ana removed the description of the topic Ropes."],
    ["avatar_change", { avatar_url: null }, "Ana changed the picture of the topic Ropes."],
    ["type_change", { type: "announcement" }, "Ana changed the type of the topic Ropes to announcement."],
    ["type_change", { type: "private" }, "Ana changed the type of the topic Ropes to private."],
  ])) {
    const change = { type: `group.subgroup_${type}`, data: { topic: named, user, ...data } };
    assert.equal(saidIn({ text: "", event: change }), said);
  }
});
