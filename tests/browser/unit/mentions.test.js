/** The messages for the user: their unread number, and how the loaded list follows events. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { mentionsHref, parseRoute } from "../../../static/js/app/route.js";
import { kindOf, mentionsPage, unreadRows, withEvent } from "../../../static/js/mentions/mention_list.js";
import { unreadMentionsOf } from "../../../static/js/mentions/mentions.js";
import { applyEvent, drop, fromSync } from "../../../static/js/sync/store.js";

/** @typedef {import("../../../static/js/mentions/mention_list.js").Mention} Mention */
/** @typedef {import("../../../static/js/sync/types.js").Attachment} Attachment */

const ANA = { id: "10", name: "Ana" };

const mentions = (/** @type {string[]} */ ...ids) => ({
  type: "mentions",
  user_ids: ids,
  loci: ids.map(() => [0, 1]),
});
const reply = (/** @type {string} */ whom) => ({
  type: "reply",
  reply_id: "1",
  base_reply_id: "1",
  user_id: whom,
});

const message = (/** @type {number} */ id, /** @type {Attachment[]} */ attachments = [], author = "11") => ({
  id: String(id),
  source_guid: String(id),
  created_at: 1_700_000_000,
  user_id: author,
  name: "Ben",
  text: `text ${id}`,
  favorited_by: [],
  attachments,
});

/** A row of group 1. @returns {Mention} */
const row = (/** @type {number} */ id) => ({
  id: String(id),
  conversation_id: "1",
  message_id: String(id),
  message: message(id, [mentions("10")]),
});
const idsOf = (/** @type {Mention[]} */ rows) => rows.map(({ id }) => Number(id));

/** @returns {import("../../../static/js/sync/types.js").SyncedGroup} */
const group = (
  /** @type {string} */ id,
  /** @type {object} */ facts = {},
  /** @type {object} */ how = {},
) => ({
  group: { id, name: `Group ${id}`, creator_user_id: "11", created_at: 1, members: [], ...how },
  messages: [],
  n: 9,
  read_n: 9,
  unread: 0,
  ...facts,
});
const snapshot = (/** @type {ReturnType<typeof group>[]} */ ...groups) =>
  fromSync({ c: "c", user: ANA, groups });

const event = (/** @type {string} */ type, /** @type {any} */ data, conv = "g:1", n = 10) => ({
  c: "c1",
  conv,
  n,
  type,
  data,
});
/** What an event makes of rows. */
const after = (
  /** @type {Mention[]} */ rows,
  /** @type {ReturnType<typeof event>} */ one,
  now = snapshot(group("1")),
) => withEvent(rows, one, now, now);

test("the page has an address", () => {
  assert.deepEqual(parseRoute(mentionsHref), { name: "mentions" });
});

test("unread mentions are counted over all conversations but the open one", () => {
  const now = snapshot(
    group("1", { read_n: 3, unread: 5, unread_mentions: 2 }),
    group("2", { read_n: 3, unread: 1, unread_mentions: 1 }),
    group("3", { read_n: 3, unread: 4 }),
  );
  assert.equal(unreadMentionsOf(now, null), 3);
  assert.equal(unreadMentionsOf(now, "g:1"), 1);
});

test("a muted conversation counts, and an archived one does not", () => {
  const unread = { read_n: 3, unread: 5, unread_mentions: 2 };
  const now = snapshot(
    group("1", { ...unread, muted: true }),
    group("2", unread, { archived_at: 5, state: "archived" }),
  );
  assert.equal(unreadMentionsOf(now, null), 2);
});

test("a live mention counts until it is read", () => {
  const now = applyEvent(snapshot(group("1")), event("line.create", message(20, [mentions("all")])));
  assert.equal(unreadMentionsOf(now, null), 1);
  const read = applyEvent(now, event("read", { conv: "g:1", n: 10, count: 1 }, "u:10"));
  assert.equal(unreadMentionsOf(read, null), 0);
});

test("a message is a reply, a mention or for everybody", () => {
  const kind = (/** @type {Attachment[]} */ ...attachments) => kindOf(message(1, attachments), "10");
  assert.equal(kind(reply("10")), "reply");
  assert.equal(kind(reply("10"), mentions("10")), "reply");
  assert.equal(kind(reply("12"), mentions("10")), "mention");
  assert.equal(kind(mentions("all", "10")), "mention");
  assert.equal(kind(mentions("all")), "everybody");
  assert.equal(kind(mentions("online")), "mention");
});

test("pages are requested with the last message", async () => {
  /** @type {string[]} */
  const paths = [];
  const get = async (/** @type {string} */ path) => {
    paths.push(path);
    return { messages: [{ ...message(7), conversation_id: "10+11" }] };
  };
  const [first] = await mentionsPage({ get });
  assert.deepEqual([first.id, first.conversation_id, first.message_id], ["7", "10+11", "7"]);
  await mentionsPage({ get }, "7");
  assert.deepEqual(paths, ["/v3/mentions?limit=20", "/v3/mentions?limit=20&before_id=7"]);
});

test("a new message for the user comes in its place", () => {
  const rows = [row(30), row(20)];
  const create = (/** @type {number} */ id, /** @type {Attachment[]} */ attachments, author = "11") =>
    idsOf(after(rows, event("line.create", message(id, attachments, author))).rows);
  assert.deepEqual(create(40, [mentions("10")]), [40, 30, 20]);
  assert.deepEqual(create(25, [reply("10")]), [30, 25, 20]);
  assert.deepEqual(create(10, [mentions("all")]), [30, 20, 10]);
  assert.deepEqual(create(30, [mentions("10")]), [30, 20]);
  assert.deepEqual(create(40, [mentions("12")]), [30, 20]);
  assert.deepEqual(create(40, [mentions("all")], "10"), [30, 20]);
  const direct = event("direct_message.create", message(40, [reply("10")]), "d:10+11");
  assert.equal(after(rows, direct).rows[0].conversation_id, "10+11");
});

test("an edit shows, and one without the mention removes the row", () => {
  const rows = [row(30), row(20)];
  const edit = (/** @type {number} */ id, /** @type {Attachment[]} */ attachments) =>
    after(rows, event("message.update", { ...message(id, attachments), text: "new" }));
  assert.equal(edit(20, [mentions("10")]).rows[1].message.text, "new");
  assert.deepEqual(idsOf(edit(20, [mentions("online")]).rows), [30, 20]);
  assert.deepEqual(idsOf(edit(20, []).rows), [30]);
  assert.deepEqual(edit(50, [mentions("10")]), { rows, isStale: true });
  assert.deepEqual(edit(50, []), { rows, isStale: false });
});

test("deleted messages and those of a left group are removed", () => {
  const rows = [row(30), { ...row(20), conversation_id: "2" }];
  const deletion = event("message.deleted", { id: "30", deleted_at: 5 });
  assert.deepEqual(idsOf(after(rows, deletion).rows), [20]);
  const before = snapshot(group("1"), group("2"));
  const left = withEvent(rows, event("group.delete", {}, "g:2"), before, drop(before, "g:2"));
  assert.deepEqual(idsOf(left.rows), [30]);
  const other = event("favorite", { message_id: "30" });
  assert.equal(withEvent(rows, other, before, before).rows, rows);
});

test("as many rows are unread as the conversation counts", () => {
  const rows = [row(40), { ...row(35), conversation_id: "2" }, row(30), row(20)];
  const now = snapshot(group("1", { read_n: 3, unread: 5, unread_mentions: 2 }), group("2"));
  assert.deepEqual(unreadRows(rows, now), [true, false, true, false]);
  assert.deepEqual(unreadRows(rows, snapshot()), [false, false, false, false]);
});

test("rows before the first unread message are read", () => {
  const messages = [message(30), message(40)];
  const now = snapshot(group("1", { messages, read_n: 8, unread: 1, unread_mentions: 2 }));
  const both = applyEvent(now, event("line.create", message(50, [mentions("10")])));
  assert.deepEqual(unreadRows([row(50), row(30)], both), [true, false]);
});
