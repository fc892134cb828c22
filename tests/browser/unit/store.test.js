/**
 * The rule of the store: old snapshot + event = new snapshot, and twice is once.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { isMuted } from "../../../static/js/groups/groups.js";
import { firstUnread, isUnread, newest, unreadMentions } from "../../../static/js/sync/log.js";
import {
  addOlder,
  addStored,
  applyEvent,
  fill,
  fromSync,
  hold,
  listed,
  markRead,
  markSeen,
  needsFilling,
  patch,
  withMore,
} from "../../../static/js/sync/store.js";
import { saidIn } from "../../../static/js/text/system_line.js";

/** @typedef {import("../../../static/js/sync/types.js").Snapshot} Snapshot */

const ANA = { id: "10", name: "Ana" };
const BEN = { id: "11", name: "Ben" };
const CLIMBERS = "g:1";

/** Ten digits of seconds, then eight, as the server makes them. */
const id = (/** @type {number} */ number) => `1700000000${String(number).padStart(8, "0")}`;

const message = (/** @type {number} */ number, facts = {}) => ({
  id: id(number),
  source_guid: `guid-${number}`,
  created_at: 1_700_000_000 + number,
  user_id: BEN.id,
  group_id: "1",
  name: "Ben",
  text: `line ${number}`,
  favorited_by: [],
  attachments: [],
  ...facts,
});

const member = (/** @type {{ id: string, name: string }} */ user) => ({
  id: `m${user.id}`,
  user_id: user.id,
  nickname: user.name,
});

const group = (/** @type {string} */ groupId, facts = {}) => ({
  id: groupId,
  name: `Group ${groupId}`,
  creator_user_id: ANA.id,
  created_at: 1_600_000_000,
  members: [member(ANA), member(BEN)],
  ...facts,
});

/** Newest first, as the wire has it. */
const synced = (/** @type {any[]} */ messages = [], facts = {}) => ({
  group: group("1"),
  messages: [...messages].reverse(),
  n: 5,
  read_n: 5,
  unread: 0,
  ...facts,
});

const start = (/** @type {any[]} */ ...groups) => fromSync({ c: "c", user: ANA, groups });

const event = (
  /** @type {number} */ n,
  /** @type {string} */ type,
  /** @type {any} */ data,
  conv = CLIMBERS,
) => ({
  c: `c${n}`,
  conv,
  n,
  type,
  data,
});

const climbers = (/** @type {Snapshot} */ snapshot) =>
  /** @type {import("../../../static/js/sync/types.js").GroupConversation} */ (
    snapshot.conversations[CLIMBERS]
  );
const texts = (/** @type {Snapshot} */ snapshot) => climbers(snapshot).messages.map(({ text }) => text);

/** Applies, and checks that the old snapshot is untouched and a repeat changes nothing. */
function apply(/** @type {Snapshot} */ snapshot, /** @type {any} */ one) {
  const before = structuredClone(snapshot);
  const after = applyEvent(snapshot, one);
  assert.deepEqual(snapshot, before, "the old snapshot stays as it was");
  assert.deepEqual(applyEvent(after, one), after, "the same event again changes nothing");
  return after;
}

test("a new line goes to the end and makes the group unread", () => {
  const after = apply(start(synced([message(1)])), event(6, "line.create", message(2)));
  assert.deepEqual(texts(after), ["line 1", "line 2"]);
  assert.equal(climbers(after).n, 6);
  assert.equal(isUnread(climbers(after)), true);
});

test("own system messages are read, others' are not", () => {
  const line = (/** @type {number} */ number, /** @type {string} */ by) =>
    message(number, { user_id: "system", system: true, caused_by: by });
  const mine = apply(start(synced([message(1)])), event(6, "line.create", line(2, ANA.id)));
  assert.deepEqual([isUnread(climbers(mine)), climbers(mine).unread], [false, 0]);
  const other = apply(mine, event(7, "line.create", line(3, BEN.id)));
  assert.deepEqual([isUnread(climbers(other)), climbers(other).unread], [true, 1]);
  assert.equal(firstUnread(climbers(other), ANA.id), id(3));
  const seen = markSeen(other, CLIMBERS, { id: id(1), n: 5 });
  assert.equal(climbers(seen).unread, 1);
});

test("a mark that is set back makes later messages unread", () => {
  const counted = group("1", { messages: { count: 2 } });
  const read = start(synced([message(1), message(2)], { group: counted }));
  const back = apply(
    read,
    event(6, "read", { conv: CLIMBERS, n: 4, count: 1, set_back: true }, `u:${ANA.id}`),
  );
  assert.deepEqual([isUnread(climbers(back)), climbers(back).readN, climbers(back).unread], [true, 4, 1]);
  const late = apply(back, event(7, "read", { conv: CLIMBERS, n: 3, count: 0 }, `u:${ANA.id}`));
  assert.equal(climbers(late).readN, 4);
});

test("deleting a poll or event removes its name from lines", () => {
  const user = { id: BEN.id, nickname: "Ben" };
  const poll = { poll: { id: id(1), subject: "When?" }, options: [{ id: "1", title: "six", votes: 2 }] };
  const plan = { event: { id: id(2), name: "Climb" }, user };
  const line = (/** @type {number} */ number, /** @type {string} */ type, /** @type {object} */ data) =>
    message(number, { system: true, user_id: "system", text: "secret", event: { type, data } });
  const first = start(
    synced([
      message(1),
      message(2),
      line(3, "poll.finished", poll),
      line(4, "calendar.event.user.going", plan),
    ]),
  );
  const words = (/** @type {Snapshot} */ snapshot) =>
    climbers(snapshot)
      .messages.filter(({ system }) => system)
      .map(saidIn);
  assert.deepEqual(words(first), ["The poll 'When?' has ended: six 2.", "Ben is going to 'Climb'."]);
  const gone = (/** @type {number} */ number) => message(number, { text: null, deleted_at: 9 });
  const without = apply(first, event(6, "message.deleted", gone(1)));
  assert.deepEqual(words(without), ["A poll has ended.", "Ben is going to 'Climb'."]);
  const after = apply(without, event(7, "message.deleted", gone(2)));
  assert.deepEqual(words(after), ["A poll has ended.", "Ben is going to an event."]);
  assert.doesNotMatch(JSON.stringify(climbers(after).messages), /secret|When|six|Climb/);
});

test("my own line is read already and takes its unsent row with it", () => {
  const writing = patch(start(synced()), CLIMBERS, (old) => ({
    ...old,
    outbox: [{ guid: "guid-2", text: "line 2", attachments: [], at: 1, order: 1, state: "sending" }],
  }));
  const after = apply(writing, event(6, "line.create", message(2, { user_id: ANA.id })));
  assert.deepEqual(climbers(after).outbox, []);
  assert.equal(isUnread(climbers(after)), false);
});

test("the same guid from someone else leaves my unsent row alone", () => {
  const writing = patch(start(synced()), CLIMBERS, (old) => ({
    ...old,
    outbox: [{ guid: "guid-2", text: "mine", attachments: [], at: 1, order: 1, state: "sending" }],
  }));
  assert.equal(climbers(apply(writing, event(6, "line.create", message(2)))).outbox.length, 1);
});

test("the answer and the event of one message make one line", () => {
  const mine = message(2, { user_id: ANA.id });
  const answered = addStored(start(synced()), CLIMBERS, mine);
  assert.deepEqual(texts(apply(answered, event(6, "line.create", mine))), ["line 2"]);
});

test("likes replace the list of who likes", () => {
  const before = start(synced([message(1, { favorited_by: ["11"] })]));
  const after = apply(before, event(6, "favorite", { message_id: id(1), favorited_by: ["10", "11"] }));
  assert.deepEqual(climbers(after).messages[0].favorited_by, ["10", "11"]);
});

test("a counted like changes the known list", () => {
  const crowd = Array.from({ length: 101 }, (_, at) => String(1000 + at));
  const sign = (/** @type {string} */ code, /** @type {string[]} */ ids) => ({
    type: "unicode",
    code,
    user_ids: ids,
  });
  const liked = message(1, { favorited_by: crowd, reactions: [sign("❤️", crowd)] });
  let now = start(synced([liked]));
  let n = 5;
  const counted = (/** @type {string} */ type, facts = {}) => {
    n += 1;
    now = apply(now, event(n, type, { favorited_by: [], favorited_count: 102, reactions: [], ...facts }));
    return climbers(now).messages[0];
  };
  const like = (/** @type {string} */ by, /** @type {boolean} */ is, /** @type {object} */ icon) =>
    counted("favorite", { message_id: id(1), user_id: by, liked: is, like_icon: icon });

  const fire = { type: "unicode", code: "🔥" };
  const picture = { type: "emoji", pack_id: 1, pack_index: 2 };
  assert.deepEqual(like("11", true, fire).favorited_by, [...crowd, "11"]);
  const after = like("1000", true, fire);
  assert.deepEqual(after.favorited_by, [...crowd, "11"]);
  assert.deepEqual(after.reactions, [sign("❤️", crowd.slice(1)), sign("🔥", ["11", "1000"])]);
  assert.deepEqual(like("11", true, picture).reactions?.at(-1), { ...picture, user_ids: ["11"] });
  assert.deepEqual(like("11", false, picture).favorited_by, crowd);

  const edited = counted("message.update", { ...liked, favorited_by: [], reactions: [], text: "new" });
  assert.deepEqual([edited.text, edited.favorited_by.length], ["new", 101]);
  // A like of a message that is not loaded changes nothing.
  counted("favorite", { message_id: id(9), user_id: "11", liked: true, like_icon: fire });
  assert.deepEqual(climbers(now).messages, [edited]);
});

test("a like of a message that is not loaded only moves on", () => {
  const after = apply(start(synced()), event(6, "favorite", { message_id: id(9), favorited_by: ["10"] }));
  assert.equal(climbers(after).n, 6);
});

test("members come, change and go", () => {
  const cleo = { id: "12", name: "Cleo" };
  let now = start(synced());
  const names = () => climbers(now).group.members?.map(({ nickname }) => nickname);
  now = apply(now, event(6, "membership.create", { memberships: [member(cleo)], by: ANA.id }));
  assert.deepEqual(names(), ["Ana", "Ben", "Cleo"]);
  now = apply(now, event(7, "membership.update", { memberships: [{ ...member(BEN), nickname: "Benny" }] }));
  assert.deepEqual(names(), ["Ana", "Benny", "Cleo"]);
  now = apply(now, event(8, "membership.delete", { memberships: [member(cleo)], by: ANA.id }));
  assert.deepEqual(names(), ["Ana", "Benny"]);
});

test("being removed takes the group away, and so does its end", () => {
  const removed = apply(start(synced()), event(6, "membership.delete", { memberships: [member(ANA)] }));
  assert.equal(climbers(removed), undefined);
  const ended = apply(start(synced()), event(6, "group.delete", { group_id: "1" }));
  assert.equal(climbers(ended), undefined);
});

test("an old removal does not undo a return", () => {
  const after = applyEvent(start(synced()), event(3, "membership.delete", { memberships: [member(ANA)] }));
  assert.ok(climbers(after));
});

test("a group's new name arrives, its members stay when the event has none", () => {
  const after = apply(
    start(synced()),
    event(6, "group.update", { ...group("1"), name: "North wall", members: null }),
  );
  assert.equal(climbers(after).group.name, "North wall");
  assert.equal(climbers(after).group.members?.length, 2);
});

test("an unknown type only moves on", () => {
  const before = start(synced([message(1)]));
  assert.deepEqual(climbers(apply(before, event(6, "poll.create", {}))), { ...climbers(before), n: 6 });
});

test("events of an unknown group wait until it is loaded", () => {
  let now = start();
  now = apply(now, event(40, "membership.create", { memberships: [member(ANA)], by: BEN.id }));
  now = apply(now, event(41, "line.create", message(2)));
  assert.deepEqual(listed(now), [], "it is not shown yet");
  assert.equal(needsFilling(now).length, 1);
  now = fill(now, group("1"), { messages: [message(1), message(2)], complete: true });
  assert.deepEqual(texts(now), ["line 1", "line 2"]);
  assert.equal(climbers(now).group.members?.length, 2);
  assert.equal(isUnread(climbers(now)), true);
  assert.equal(needsFilling(now).length, 0);
});

test("a removal while the group is being loaded wins", () => {
  let now = apply(start(), event(40, "membership.create", { memberships: [member(ANA)] }));
  now = apply(now, event(41, "membership.delete", { memberships: [member(ANA)] }));
  assert.deepEqual(needsFilling(now), []);
});

test("a group I made is there at once, and its first event changes nothing twice", () => {
  const made = fill(start(), group("1", { members: [member(ANA)] }), { messages: [], complete: true });
  assert.equal(listed(made).length, 1);
  const after = apply(made, event(1, "membership.create", { memberships: [member(ANA)], by: ANA.id }));
  assert.equal(climbers(after).group.members?.length, 1);
});

test("older pages join at the front without repeats", () => {
  let now = addOlder(
    start(synced([message(3), message(4)])),
    CLIMBERS,
    [message(2), message(1), message(3)],
    id(3),
  );
  assert.deepEqual(texts(now), ["line 1", "line 2", "line 3", "line 4"]);
  assert.equal(climbers(now).complete, false);
  now = addOlder(now, CLIMBERS, [], id(1));
  assert.equal(climbers(now).complete, true);
  assert.deepEqual(addOlder(now, CLIMBERS, [message(0)], id(2)), now, "a page that does not join is dropped");
});

test("a conversation is whole once as many messages are there as it has", () => {
  const two = synced([message(2)], { group: group("1", { messages: { count: 2 } }) });
  assert.equal(climbers(start(two)).complete, false);
  assert.equal(climbers(addOlder(start(two), CLIMBERS, [message(1)], id(2))).complete, true);
});

test("a longer id is a later id", () => {
  const whole = addOlder(start(synced([message(1)])), CLIMBERS, [], id(1));
  const now = addStored(whole, CLIMBERS, message(2, { id: "99" }));
  assert.deepEqual(texts(now), ["line 2", "line 1"]);
});

test("a read mark only moves forward", () => {
  let now = apply(start(synced()), event(6, "line.create", message(2)));
  now = markRead(now, CLIMBERS, 3);
  assert.equal(isUnread(climbers(now)), true);
  now = applyEvent(now, event(1, "read", { conv: CLIMBERS, n: 6 }, "u:10"));
  assert.equal(isUnread(climbers(now)), false);
});

test("a mark between two messages leaves those after it", () => {
  let now = start(
    synced([message(1)], { group: group("1", { messages: { count: 1 } }), read_n: 5, unread: 0 }),
  );
  for (const n of [6, 7, 8]) now = apply(now, event(n, "line.create", message(n)));
  assert.equal(climbers(now).unread, 3);
  now = applyEvent(now, event(1, "read", { conv: CLIMBERS, n: 6, count: 2 }, "u:10"));
  assert.equal(climbers(now).unread, 2);
  now = applyEvent(now, event(2, "read", { conv: CLIMBERS, n: 7, count: 3 }, "u:10"));
  assert.equal(climbers(now).unread, 1);
  assert.equal(isUnread(climbers(now)), true);
});

test("a new snapshot keeps adjoining pages and unsent rows", () => {
  const page = Array.from({ length: 20 }, (_, i) => message(i + 10));
  let now = start(synced(page));
  now = addOlder(now, CLIMBERS, [message(1)], id(10));
  now = addOlder(now, CLIMBERS, [], id(1));
  now = patch(now, CLIMBERS, (old) => ({
    ...old,
    outbox: [
      { guid: "guid-30", text: "arrived", attachments: [], at: 1, order: 1, state: "failed" },
      { guid: "other", text: "did not", attachments: [], at: 1, order: 1, state: "failed" },
    ],
  }));
  const next = Array.from({ length: 20 }, (_, i) => message(i + 11));
  const joined = fromSync({ c: "d", user: ANA, groups: [synced(next, { n: 6 })] }, now);
  assert.equal(climbers(joined).messages.length, 22);
  assert.equal(climbers(joined).complete, true);
  assert.deepEqual(
    climbers(joined).outbox.map(({ guid }) => guid),
    ["other"],
  );
  const far = Array.from({ length: 20 }, (_, i) => message(i + 50));
  const changed = fromSync({ c: "d", user: ANA, groups: [synced(next, { n: 7 })] }, now);
  assert.equal(climbers(changed).messages.length, 20, "an older one may have been deleted");
  assert.equal(climbers(changed).complete, false);
  const torn = fromSync({ c: "d", user: ANA, groups: [synced(far, { n: 45 })] }, now);
  assert.equal(climbers(torn).messages.length, 20);
  assert.equal(climbers(torn).complete, false);
});

test("groups are listed by last activity", () => {
  const older = synced([message(1)], { group: group("1") });
  const newer = synced([message(2)], { group: group("2") });
  const silent = synced([], { group: group("3", { created_at: 1_800_000_000 }) });
  const now = start(older, newer, silent);
  assert.deepEqual(
    listed(now).map(({ conv }) => conv),
    ["g:3", "g:2", "g:1"],
  );
});

test("snapshot + events = the later snapshot", () => {
  const events = [
    event(6, "line.create", message(2)),
    event(7, "favorite", { message_id: id(2), favorited_by: [ANA.id] }),
    event(8, "membership.update", { memberships: [{ ...member(BEN), nickname: "Benny" }] }),
    event(9, "line.create", message(3, { name: "Benny" })),
  ];
  const replayed = events.reduce(apply, start(synced([message(1)])));
  const later = start(
    synced([message(1), message(2, { favorited_by: [ANA.id] }), message(3, { name: "Benny" })], {
      group: group("1", { members: [member(ANA), { ...member(BEN), nickname: "Benny" }] }),
      n: 9,
      read_n: 5,
      unread: 2,
    }),
  );
  assert.deepEqual(replayed, later);
});

test("unread messages count from the snapshot until read", () => {
  let now = start(synced([message(1)], { read_n: 3, unread: 2 }));
  assert.equal(climbers(now).unread, 2);
  now = apply(now, event(6, "line.create", message(2)));
  assert.equal(climbers(now).unread, 3);
  now = apply(now, event(7, "favorite", { message_id: id(2), favorited_by: [BEN.id] }));
  assert.equal(climbers(now).unread, 3);
  assert.equal(climbers(markRead(now, CLIMBERS, 6)).unread, 0);
  now = apply(now, event(8, "line.create", message(3, { user_id: ANA.id })));
  assert.equal(climbers(now).unread, 0);
  const again = fromSync(
    { c: "d", user: ANA, groups: [synced([message(1)], { read_n: 1, unread: 7 })] },
    now,
  );
  assert.equal(climbers(again).unread, 7);
  assert.equal(isUnread(climbers(again)), true);
});

test("a group that appears with messages is unread, however it appears", () => {
  const added = apply(start(), event(40, "membership.create", { memberships: [member(ANA)], by: BEN.id }));
  assert.equal(isUnread(climbers(fill(added, group("1"), { messages: [message(1)], complete: true }))), true);
  assert.equal(isUnread(climbers(fill(added, group("1"), { messages: [], complete: true }))), false);
  const news = synced([message(1)], { read_n: 4, unread: 1 });
  const found = fromSync({ c: "d", user: ANA, groups: [news] }, start());
  assert.equal(isUnread(climbers(found)), true);
});

test("unviewed old messages are dropped and reloadable", () => {
  let now = start(synced([message(1)]));
  now = addOlder(now, CLIMBERS, [], id(1));
  assert.equal(climbers(now).complete, true);
  for (let n = 6; n < 1000; n += 1) now = applyEvent(now, event(n, "line.create", message(n)));
  assert.ok(climbers(now).messages.length < 400, "as few as with ten times as many");
  assert.equal(climbers(now).messages.at(-1)?.id, id(999));
  assert.equal(climbers(now).complete, false);
  now = hold(now, CLIMBERS, true);
  const held = climbers(now).messages.length;
  for (let n = 1000; n < 1500; n += 1) now = applyEvent(now, event(n, "line.create", message(n)));
  assert.equal(climbers(now).messages.length, held + 500, "somebody reads in it");
  now = hold(now, CLIMBERS, false);
  assert.ok(climbers(now).messages.length < 400);
});

test("an active conversation moves to the top", () => {
  const groups = Array.from({ length: 30 }, (_, i) =>
    synced([message(i)], { group: group(String(i)), n: 5, read_n: 5 }),
  );
  let now = start(...groups);
  const order = () => listed(now).map(({ conv }) => conv);
  const before = order();
  assert.deepEqual(before[0], "g:29");
  now = apply(now, event(6, "line.create", message(100), "g:7"));
  assert.deepEqual(order(), ["g:7", ...before.filter((conv) => conv !== "g:7")]);
  now = apply(now, event(6, "group.delete", { group_id: "20" }, "g:20"));
  assert.deepEqual(order(), ["g:7", ...before.filter((conv) => conv !== "g:7" && conv !== "g:20")]);
});

test("a shortened group tracks its mute", () => {
  const short = { ...synced(), group: group("1", { members: null, messages: { count: 3 } }), muted: true };
  const first = fromSync({ c: "c", user: ANA, groups: [short] });
  const isMutedIn = (/** @type {Snapshot} */ { conversations }) =>
    isMuted(/** @type {any} */ (conversations[CLIMBERS].group), ANA.id);
  assert.equal(isMutedIn(first), true);
  const hears = (/** @type {Snapshot} */ snapshot, /** @type {number} */ n, /** @type {object} */ who) =>
    applyEvent(snapshot, event(n, "membership.update", { memberships: [who] }));
  const n = first.conversations[CLIMBERS].n;
  const other = hears(first, n + 1, { ...member(BEN), muted: false });
  assert.equal(isMutedIn(other), true, "another one's mute is none of mine");
  assert.equal(isMutedIn(hears(other, n + 2, { ...member(ANA), muted: false })), false);
});

test("a conversation in short form stands in the list by its newest message", () => {
  const last_message = message(9, { event: { type: "poll.created", data: { poll: { subject: "When?" } } } });
  const short = { ...synced(), last_message, group: group("2", { members: null, messages: { count: 3 } }) };
  const chat = {
    chat: {
      last_message: { ...message(7), conversation_id: "10+11" },
      messages_count: 2,
      other_user: { name: "Ben", avatar_url: null },
    },
    ...{ messages: [], n: 2, read_n: 2, unread: 0, other_read_n: 0, other_unread: 0 },
  };
  const groups = [synced([message(8)]), short];
  const snapshot = fromSync({ c: "c", user: ANA, groups, chats: [chat] });
  const rows = listed(snapshot).map((one) => [one.conv, saidIn(newest(one) ?? { text: "" })]);
  assert.deepEqual(rows, [
    ["g:2", "Created new poll 'When?'"],
    [CLIMBERS, "line 8"],
    ["d:10+11", "line 7"],
  ]);
});

test("late snapshot parts never replace newer data", () => {
  const of = (/** @type {string} */ number, facts = {}) => ({ ...synced([], facts), group: group(number) });
  const first = fromSync({ c: "c", user: ANA, groups: [of("1", { n: 9 })], more_groups: true });
  assert.equal(first.isPartial, true);
  const page = { groups: [of("1", { n: 8 }), of("2"), of("3")] };
  const more = withMore(first, page, new Set(["g:3"]));
  const heads = Object.values(more.conversations).map(({ conv, n }) => [conv, n]);
  assert.deepEqual(heads, [
    [CLIMBERS, 9],
    ["g:2", 5],
  ]);
  assert.equal(more.user, ANA);
});

test("unread mentions count from the snapshot and by new messages until they are read", () => {
  const mention = [{ type: "mentions", user_ids: [ANA.id], loci: [[0, 4]] }];
  let now = start(synced([message(1)], { read_n: 3, unread: 2, unread_mentions: 1 }));
  assert.equal(unreadMentions(climbers(now)), 1);
  now = apply(now, event(6, "line.create", message(2, { attachments: mention })));
  assert.equal(unreadMentions(climbers(now)), 2);
  now = apply(now, event(7, "line.create", message(3)));
  assert.equal(unreadMentions(climbers(now)), 2);
  now = markRead(now, CLIMBERS, 7);
  assert.equal(unreadMentions(climbers(now)), 0);
  now = apply(now, event(8, "line.create", message(4)));
  assert.equal(unreadMentions(climbers(now)), 0, "what was read before does not count again");
});
