/**
 * Chats in the store: who the other is, what is seen, whom I keep away, message requests; and pending likes to like.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  hrefOf,
  parseInvitation,
  parseRoute,
  privacyHref,
  requestsHref,
} from "../../../static/js/app/route.js";
import {
  convOfPair,
  isRequest,
  markReadByOther,
  nameless,
  newestSeen,
  otherIn,
  personKnown,
} from "../../../static/js/chats/chats.js";
import { withChatAt } from "../../../static/js/people/people.js";
import { createLikes, HEART, likersOf, signsOf } from "../../../static/js/reactions/likes.js";
import { signWords } from "../../../static/js/reactions/reactions.js";
import { isUnread } from "../../../static/js/sync/log.js";
import { createState } from "../../../static/js/sync/state.js";
import { addStored, applyEvent, fromSync, listed, openRequests } from "../../../static/js/sync/store.js";

/** @typedef {import("../../../static/js/sync/types.js").Snapshot} Snapshot */
/** @typedef {import("../../../static/js/sync/types.js").ChatConversation} ChatConversation */

const ANA = { id: "9", name: "Ana" };
const CHAT = "d:9+10";

const message = (/** @type {number} */ number, /** @type {string} */ from, facts = {}) => ({
  id: `17000000000000000${number}`,
  source_guid: `guid-${number}`,
  created_at: 1_700_000_000 + number,
  user_id: from,
  name: from === "10" ? "Ben" : "Ana",
  avatar_url: null,
  text: `line ${number}`,
  favorited_by: [],
  attachments: [],
  conversation_id: "9+10",
  ...facts,
});

/** Messages as they were written; the snapshot has the newest first. */
const start = (/** @type {any[]} */ messages = [], facts = {}) =>
  fromSync({
    c: "c",
    user: ANA,
    groups: [],
    chats: messages.length === 0 ? [] : [synced(messages, facts)],
  });

const synced = (/** @type {any[]} */ messages, facts = {}) => ({
  chat: { last_message: messages.at(-1), other_user: { name: "Ben", avatar_url: null } },
  messages: [...messages].reverse(),
  n: messages.length,
  read_n: messages.length,
  unread: 0,
  other_read_n: 0,
  other_unread: 0,
  ...facts,
});

/** The chat of a snapshot in which Ben asked. */
const asking = (/** @type {"open" | "declined"} */ state) => ({
  other_user: { name: "Ben", avatar_url: null },
  request: state,
});

const event = (
  /** @type {number} */ n,
  /** @type {any} */ data,
  type = "direct_message.create",
  conv = CHAT,
) => ({
  c: `c${n}`,
  conv,
  n,
  type,
  data,
});

const chat = (/** @type {Snapshot} */ snapshot) =>
  /** @type {ChatConversation} */ (snapshot.conversations[CHAT]);
const seen = (/** @type {Snapshot} */ snapshot) => newestSeen(chat(snapshot), ANA.id);

/** Ana knows Ben from a group. */
function acquainted() {
  const member = { id: "m", user_id: "10", nickname: "Ben" };
  const group = { id: "1", name: "Climbers", creator_user_id: "9", created_at: 1, members: [member] };
  return fromSync({
    c: "c",
    user: ANA,
    groups: [{ group, messages: [], n: 1, read_n: 1, unread: 0 }],
  });
}

test("the smaller id stands first, however long the ids are", () => {
  assert.equal(convOfPair("10", "9"), CHAT);
  assert.equal(convOfPair("9", "10"), CHAT);
  assert.equal(otherIn(CHAT, "9"), "10");
  assert.equal(otherIn(CHAT, "10"), "9");
  assert.equal(otherIn(CHAT, "11"), null);
});

test("a chat has its address, and a share link is an invitation", () => {
  assert.deepEqual(parseRoute(hrefOf(CHAT)), { name: "chat", conv: CHAT });
  assert.deepEqual(parseRoute(`${hrefOf(CHAT)}/details`), { name: "chat", conv: CHAT, panel: "details" });
  assert.deepEqual(parseRoute("#/chats/9"), { name: "home" });
  assert.deepEqual(parseInvitation("/join_group/1/abc"), { groupId: "1", token: "abc", from: "" });
  const passedOn = parseInvitation("/join_group/1/abc?from=7");
  assert.deepEqual(passedOn, { groupId: "1", token: "abc", from: "7" });
  assert.equal(parseInvitation("/join_group/1"), null);
  assert.equal(parseInvitation("/"), null);
});

test("a first message makes an unread chat with its author's name", () => {
  const after = applyEvent(start(), event(1, message(1, "10")));
  assert.equal(chat(after).other.name, "Ben");
  assert.equal(isUnread(chat(after)), true);
  assert.equal(applyEvent(after, event(1, message(1, "10"))), after, "twice is once");
});

test("a message unread in the snapshot is not seen", () => {
  const messages = [message(1, "9"), message(2, "9"), message(3, "9")];
  assert.equal(seen(start(messages, { other_read_n: 1, other_unread: 2 })), messages[0].id);
  assert.equal(seen(start(messages, { other_read_n: 3 })), messages[2].id);
  assert.equal(seen(start(messages, { other_unread: 3 })), null);
  // Two likes have numbers of their own behind the messages.
  assert.equal(seen(start(messages, { n: 5, other_read_n: 2, other_unread: 1 })), messages[1].id);
});

test("a reply marks earlier messages as seen", () => {
  let now = start([message(1, "9")], { other_unread: 1 });
  now = applyEvent(now, event(2, message(2, "10")));
  assert.equal(seen(now), message(1, "9").id);
  now = applyEvent(now, event(3, message(3, "9")));
  assert.equal(seen(now), message(1, "9").id);
});

test("an event before its response still marks the message seen", () => {
  const mine = message(1, "9");
  let now = applyEvent(withChatAt(acquainted(), CHAT), event(1, mine));
  now = addStored(now, CHAT, mine);
  now = markReadByOther(now, CHAT, { user: "10", n: 1 });
  assert.equal(seen(now), mine.id);
});

test("another name or picture comes with the next word", () => {
  const after = applyEvent(
    start([message(1, "10")]),
    event(2, message(2, "10", { name: "Benny", avatar_url: "u" })),
  );
  assert.deepEqual(chat(after).other, { id: "10", name: "Benny", imageUrl: "u" });
});

test("a profile change updates only existing chats", () => {
  const publicProfile = { id: 10, name: "Benny", avatar_url: "u" };
  const before = start([message(1, "10")]);
  const after = applyEvent(before, event(4, publicProfile, "other_user.update", "p:10"));
  assert.deepEqual(chat(after).other, { id: "10", name: "Benny", imageUrl: "u" });
  assert.equal(applyEvent(before, event(4, publicProfile, "other_user.update", "p:11")), before);
});

test("the snapshot has the blocks", () => {
  const blocks = [{ blocked_user_id: "10" }];
  const now = fromSync({ c: "c", user: ANA, groups: [], blocks });
  assert.deepEqual(now.blocked, ["10"]);
  assert.deepEqual(fromSync({ c: "d", user: ANA, groups: [] }, now).blocked, ["10"]);
  assert.deepEqual(fromSync({ c: "d", user: ANA, groups: [], blocks: [] }, now).blocked, []);
});

test("blocks come and go as events", () => {
  const block = { user_id: "9", blocked_user_id: "10" };
  let now = applyEvent(start(), event(1, block, "block.create", "u:9"));
  assert.deepEqual(now.blocked, ["10"]);
  now = applyEvent(now, event(2, block, "block.create", "u:9"));
  assert.deepEqual(now.blocked, ["10"]);
  now = applyEvent(now, event(3, block, "block.delete", "u:9"));
  assert.deepEqual(now.blocked, []);
});

const request = (/** @type {number} */ n, /** @type {string} */ state) =>
  event(n, { other_user_id: "10", state }, "message_request.update", "u:9");
const convs = (/** @type {readonly { conv: string }[]} */ all) => all.map(({ conv }) => conv);

test("the requests and the choice about them have addresses", () => {
  assert.deepEqual(parseRoute(requestsHref), { name: "requests" });
  assert.deepEqual(parseRoute(privacyHref), { name: "account", part: "you", section: "privacy" });
});

test("a request opens before its first message, and stands apart from the list", () => {
  const opened = applyEvent(start(), request(1, "open"));
  assert.deepEqual([openRequests(opened), nameless(opened)], [[], []], "no message came yet");
  const now = applyEvent(opened, event(1, message(1, "10")));
  assert.deepEqual([convs(listed(now)), convs(openRequests(now))], [[], [CHAT]]);
  assert.deepEqual([chat(now).other.name, chat(now).request], ["Ben", "open"]);
  assert.equal(applyEvent(now, request(2, "open")), now, "twice is once");
});

test("an accepted request is a chat like others", () => {
  const asked = start([message(1, "10")], { chat: { ...asking("open"), last_message: message(1, "10") } });
  assert.deepEqual([convs(listed(asked)), convs(openRequests(asked))], [[], [CHAT]]);
  const now = applyEvent(asked, request(2, "accepted"));
  assert.deepEqual([convs(listed(now)), openRequests(now)], [[CHAT], []]);
  assert.equal(isRequest(chat(now)), false);
  assert.equal(applyEvent(now, request(3, "accepted")), now);
  assert.equal(applyEvent(start(), request(1, "accepted")).conversations[CHAT], undefined);
});

test("a declined request is in neither list, and can still be accepted", () => {
  const asked = start([message(1, "10")], { chat: { ...asking("open"), last_message: message(1, "10") } });
  const declined = applyEvent(asked, request(2, "declined"));
  assert.deepEqual([listed(declined), openRequests(declined)], [[], []]);
  assert.equal(chat(declined).request, "declined");
  assert.deepEqual(convs(listed(applyEvent(declined, request(3, "accepted")))), [CHAT]);
});

test("the request of a blocked person is not listed", () => {
  const asked = start([message(1, "10")], { chat: { ...asking("open"), last_message: message(1, "10") } });
  assert.deepEqual(openRequests({ ...asked, blocked: ["10"] }), []);
});

test("a snapshot knows what became of a request", () => {
  const asked = start([message(1, "10")], { chat: { ...asking("open"), last_message: message(1, "10") } });
  const chats = [synced([message(1, "10")])];
  const now = fromSync({ c: "d", user: ANA, groups: [], chats }, asked);
  assert.deepEqual([convs(listed(now)), openRequests(now)], [[CHAT], []]);
});

test("an empty chat opens but is not listed", () => {
  const before = acquainted();
  assert.equal(personKnown(before, "10")?.name, "Ben");
  const opened = withChatAt(before, CHAT);
  assert.equal(chat(opened).other.name, "Ben");
  assert.deepEqual(
    listed(opened).map(({ conv }) => conv),
    ["g:1"],
  );
  assert.equal(withChatAt(before, "d:9+11"), before, "a stranger stays one");
  assert.equal(withChatAt(before, "d:10+9"), before, "no address but the right one");
  const again = fromSync({ c: "d", user: ANA, groups: [] }, opened);
  assert.ok(chat(again), "a new snapshot does not close it");
});

test("likers are named in a sentence", () => {
  const likeWords = (/** @type {string[]} */ names) => signWords({ code: HEART, names, mine: false });
  assert.equal(likeWords(["Ben"]), "❤️, 1: Ben");
  assert.equal(likeWords(["You", "Ben", "Cleo"]), "❤️, 3: You, Ben, Cleo");
  const many = Array.from({ length: 10 }, (_, i) => `P${i}`);
  assert.equal(likeWords(many), "❤️, 10: P0, P1, P2, P3, P4, P5, P6, P7 and 2 more");
});

test("a like shows before the server confirms it", () => {
  const liked = { id: "1", favorited_by: ["10"] };
  assert.deepEqual(likersOf(liked, true, "9"), ["10", "9"]);
  assert.deepEqual(likersOf(liked, true, "10"), ["10"]);
  assert.deepEqual(likersOf(liked, false, "10"), []);
  assert.deepEqual(likersOf(liked, undefined, "9"), ["10"]);
});

test("signs but the heart stand apart, and mine goes when I like the message", () => {
  const fire = { type: "unicode", code: "🔥", user_ids: ["9", "10"] };
  const heart = { type: "unicode", code: "❤️", user_ids: ["11"] };
  const picture = { type: "emoji", pack_id: 1, pack_index: 2, user_ids: ["12"] };
  const liked = { reactions: [fire, heart, picture] };
  assert.deepEqual(signsOf(liked, undefined, "9"), [
    { code: "🔥", ids: ["9", "10"] },
    { code: "🖼️", ids: ["12"] },
  ]);
  assert.deepEqual(signsOf(liked, true, "9")[0], { code: "🔥", ids: ["10"] });
  assert.deepEqual(signsOf({}, undefined, "9"), []);
  assert.equal(signWords({ code: "🔥", names: ["You", "Ben"], mine: true }), "🔥, 2: You, Ben");
});

/** A page on which likes are asked of a server that answers when it is told to. */
function stage() {
  const state = createState(/** @type {any} */ ({ snapshot: start([message(1, "10")]) }));
  /** @type {{ what: string, answer: () => void, refuse: (error: Error) => void }[]} */
  const asked = [];
  /** @type {string[]} */
  const complaints = [];
  const ask = (/** @type {string} */ what) => () =>
    new Promise((answer, refuse) => asked.push({ what, answer: () => answer(null), refuse }));
  const api = { like: ask("like"), unlike: ask("unlike") };
  const likes = createLikes({ api, state, complain: (words) => complaints.push(words) });
  const settled = () => new Promise((resolve) => setTimeout(resolve));
  const now = () => chat(/** @type {Snapshot} */ (state.get().snapshot));
  const likers = () => likersOf(now().messages[0], now().pendingLikes[now().messages[0].id], ANA.id);
  return { likes, asked, complaints, settled, now, likers, id: message(1, "10").id };
}

test("concurrent likes of a message send one request and keep the last", async () => {
  const { likes, asked, settled, now, likers, id } = stage();
  likes.toggle(CHAT, id);
  likes.toggle(CHAT, id);
  likes.toggle(CHAT, id);
  likes.toggle(CHAT, id);
  assert.deepEqual(likers(), []);
  assert.deepEqual(
    asked.map(({ what }) => what),
    ["like"],
  );
  asked[0].answer();
  await settled();
  assert.deepEqual(likers(), [], "the answer to an older wish does not show");
  asked[1].answer();
  await settled();
  assert.deepEqual(
    asked.map(({ what }) => what),
    ["like", "unlike"],
  );
  assert.deepEqual(now().pendingLikes, {});
  assert.deepEqual(now().messages[0].favorited_by, []);
});

test("a confirmed like stays, and a failed one is undone", async () => {
  const { likes, asked, settled, complaints, now, id } = stage();
  likes.toggle(CHAT, id);
  asked[0].answer();
  await settled();
  assert.deepEqual(now().messages[0].favorited_by, [ANA.id]);
  likes.toggle(CHAT, id);
  asked[1].refuse(new Error("Away."));
  await settled();
  assert.deepEqual(now().pendingLikes, {});
  assert.deepEqual(now().messages[0].favorited_by, [ANA.id]);
  assert.deepEqual(complaints, ["Your like could not be saved. Away."]);
});
