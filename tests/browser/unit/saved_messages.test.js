/** Saved messages: which messages are saved, and how the loaded list follows events. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { parseRoute, savedHref } from "../../../static/js/app/route.js";
import { kept, rowOf, snapshotOf } from "../../../static/js/device/device_copy.js";
import {
  PAGE,
  withChange,
  withFirstPage,
  withNextPage,
  withoutLeft,
} from "../../../static/js/message_list/message_list.js";
import { savedIn } from "../../../static/js/saved/saved.js";
import { hasNew, savedPage, stillSaved } from "../../../static/js/saved/saved_list.js";
import { applyEvent, drop, fromSync } from "../../../static/js/sync/store.js";
import { rowsOf } from "../../../static/js/timeline/timeline_rows.js";

/** @typedef {import("../../../static/js/saved/saved_list.js").SavedMessage} SavedMessage */

const ANA = { id: "10", name: "Ana" };
const ROPE = "170000000000000001";
const CHALK = "170000000000000002";

const message = (/** @type {string} */ id, /** @type {object} */ facts = {}) => ({
  id,
  source_guid: id,
  created_at: 1_700_000_000,
  user_id: "11",
  name: "Ben",
  text: `text ${id}`,
  favorited_by: [],
  attachments: [],
  ...facts,
});

const chat = {
  chat: {
    last_message: { conversation_id: "10+11" },
    other_user: { name: "Ben", avatar_url: null },
  },
  messages: [message(CHALK)],
  n: 1,
  read_n: 1,
  unread: 0,
  other_read_n: 0,
  other_unread: 0,
};

/** A group with one message, a chat with one, and what is saved. */
const start = (/** @type {object} */ facts = {}) =>
  fromSync({
    c: "c",
    user: ANA,
    groups: [
      {
        group: { id: "1", name: "Climbers", creator_user_id: "11", created_at: 1, members: [] },
        messages: [message(ROPE)],
        n: 1,
        read_n: 1,
        unread: 0,
      },
    ],
    chats: [/** @type {any} */ (chat)],
    ...facts,
  });

const event = (/** @type {string} */ conv, /** @type {string} */ id, /** @type {number | null} */ at) => ({
  c: "c1",
  conv: "u:10",
  n: 1,
  type: at === null ? "message.unsaved" : "message.saved",
  data: { conv, message_id: id, saved_at: at },
});

/** Rows of the list with these ids; each is about the message with the same number. */
const rows = (/** @type {number[]} */ ...ids) =>
  ids.map(
    (id) =>
      /** @type {SavedMessage} */ ({
        id: String(id),
        saved_at: 1_700_000_000 + id,
        conversation_id: id % 2 === 0 ? "10+11" : "1",
        message_id: `m${id}`,
        message: message(`m${id}`),
      }),
  );
const down = (/** @type {number} */ from, /** @type {number} */ to) =>
  Array.from({ length: from - to + 1 }, (_, at) => from - at);
const idsOf = (/** @type {SavedMessage[]} */ some) => some.map(({ id }) => Number(id));

test("saved messages have an address", () => {
  assert.deepEqual(parseRoute(savedHref), { name: "saved" });
});

test("the snapshot lists the saved messages of each conversation", () => {
  const saved = start({
    saved: [
      { conv: "d:10+11", message_id: CHALK },
      { conv: "g:1", message_id: ROPE },
    ],
  });
  assert.deepEqual([...savedIn(saved, "g:1")], [ROPE]);
  assert.deepEqual([...savedIn(saved, "d:10+11")], [CHALK]);
  assert.equal(savedIn(saved, "g:2").size, 0);
});

test("a snapshot without saved messages replaces those before", () => {
  const before = start({ saved: [{ conv: "g:1", message_id: ROPE }] });
  const after = fromSync({ c: "c", user: ANA, groups: [] }, before);
  assert.equal(savedIn(after, "g:1").size, 0);
});

test("events save and remove a message, and repeats change nothing", () => {
  const saved = applyEvent(start(), event("g:1", ROPE, 5));
  assert.deepEqual([...savedIn(saved, "g:1")], [ROPE]);
  assert.equal(applyEvent(saved, event("g:1", ROPE, 5)), saved);
  const both = applyEvent(saved, event("d:10+11", CHALK, 6));
  assert.equal(savedIn(both, "g:1"), savedIn(saved, "g:1"), "other conversations stay the same");
  const removed = applyEvent(both, event("g:1", ROPE, null));
  assert.equal(savedIn(removed, "g:1").size, 0);
  assert.deepEqual([...savedIn(removed, "d:10+11")], [CHALK]);
  assert.equal(applyEvent(removed, event("g:1", ROPE, null)), removed);
});

test("the copy on the device keeps the saved messages", () => {
  const now = start({ saved: [{ conv: "g:1", message_id: ROPE }] });
  const owner = structuredClone({ mark: "m", user: ANA, blocked: [], saved: now.saved, at: 1 });
  const copy = snapshotOf(
    owner,
    kept(now).map((one) => rowOf(one, ANA.id)),
  );
  assert.deepEqual([...savedIn(copy, "g:1")], [ROPE]);
});

/** The row of the only message of a conversation. */
const rowIn = (
  /** @type {import("../../../static/js/sync/types.js").Snapshot} */ snapshot,
  /** @type {string} */ conv,
) =>
  /** @type {any} */ (
    rowsOf(snapshot.conversations[conv], ANA.id, 1_700_000_000, undefined, savedIn(snapshot, conv)).find(
      ({ kind }) => kind === "line",
    )
  );

test("a row of a saved message has the mark, and other rows stay the same", () => {
  const before = start();
  const [rope, chalk] = [rowIn(before, "g:1"), rowIn(before, "d:10+11")];
  assert.deepEqual([rope.maySave, rope.saved], [true, false]);
  const after = applyEvent(before, event("g:1", ROPE, 5));
  assert.deepEqual([rowIn(after, "g:1").maySave, rowIn(after, "g:1").saved], [true, true]);
  assert.equal(rowIn(after, "d:10+11"), chalk);
});

test("deleted messages and messages of a request cannot be saved", () => {
  const deleted = start({
    groups: [
      {
        group: { id: "1", name: "Climbers", creator_user_id: "11", created_at: 1, members: [] },
        messages: [message(ROPE, { deleted_at: 5, text: null })],
        n: 1,
        read_n: 1,
        unread: 0,
      },
    ],
    saved: [{ conv: "g:1", message_id: ROPE }],
  });
  const { maySave, saved } = rowIn(deleted, "g:1");
  assert.deepEqual([maySave, saved], [false, false]);
  const asked = start({ chats: [{ ...chat, chat: { ...chat.chat, request: "open" } }] });
  assert.equal(rowIn(asked, "d:10+11").maySave, false);
});

test("pages are requested with the last row", async () => {
  /** @type {string[]} */
  const paths = [];
  const get = async (/** @type {string} */ path) => {
    paths.push(path);
    return { saved: [] };
  };
  await savedPage({ get });
  await savedPage({ get }, "7");
  assert.deepEqual(paths, ["/v3/saved_messages?limit=20", "/v3/saved_messages?limit=20&before=7"]);
});

test("a short page is the whole list", () => {
  const list = withFirstPage({ rows: rows(...down(60, 1)), isWhole: false }, rows(9, 8));
  assert.deepEqual([idsOf(list.rows), list.isWhole], [[9, 8], true]);
});

test("a new first page keeps the rows after it", () => {
  const known = { rows: rows(...down(60, 21)), isWhole: false };
  const list = withFirstPage(known, rows(...down(62, 62 - PAGE + 1)));
  assert.deepEqual([idsOf(list.rows), list.isWhole], [down(62, 21), false]);
});

test("a first page that touches no known row replaces all rows", () => {
  const known = { rows: rows(...down(40, 1)), isWhole: true };
  const list = withFirstPage(known, rows(...down(90, 71)));
  assert.deepEqual([idsOf(list.rows), list.isWhole], [down(90, 71), false]);
});

test("the next page follows the last row, without repeats", () => {
  const list = withNextPage({ rows: rows(9, 8), isWhole: false }, rows(8, 7));
  assert.deepEqual([idsOf(list.rows), list.isWhole], [[9, 8, 7], true]);
});

test("rows that another device removed are dropped", () => {
  const saved = { "g:1": new Set(["m3"]), "d:10+11": new Set(["m2"]) };
  assert.deepEqual(idsOf(stillSaved(rows(3, 2, 1), saved)), [3, 2]);
  assert.deepEqual(stillSaved(rows(3), undefined), []);
});

test("only newly saved messages need the first page again", () => {
  const one = { "g:1": new Set(["m1"]) };
  const two = { "g:1": new Set(["m1", "m3"]) };
  assert.equal(hasNew(one, two), true);
  assert.equal(hasNew(undefined, one), true);
  assert.equal(hasNew(two, one), false);
  assert.equal(hasNew(one, { "g:1": new Set(["m1"]) }), false);
});

test("an edit changes the row, and a deletion empties it", () => {
  const known = rows(3, 2);
  const edit = { conv: "g:1", type: "message.update", data: { id: "m3", text: "new" } };
  assert.equal(withChange(known, edit)[0].message?.text, "new");
  assert.equal(withChange(known, { ...edit, conv: "g:2" }), known);
  const deletion = { conv: "d:10+11", type: "message.deleted", data: { id: "m2", deleted_at: 5 } };
  assert.deepEqual(
    withChange(known, deletion).map(({ message: one }) => one === null),
    [false, true],
  );
});

test("the rows of a group that the user left are empty", () => {
  const before = start();
  const known = rows(3, 2);
  assert.equal(withoutLeft(known, before, before), known);
  const after = withoutLeft(known, before, drop(before, "g:1"));
  assert.deepEqual(
    after.map(({ message: one }) => one === null),
    [true, false],
  );
});
