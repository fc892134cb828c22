/** A stretch far up: it grows at both ends, and becomes part of the newest where it meets them. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { seenNow, withNewerPast, withOlderPast, withPast } from "../../../static/js/sync/past.js";
import { applyEvent } from "../../../static/js/sync/store.js";

const CLIMBERS = "g:1";
const id = (/** @type {number} */ number) => `1700000000${String(number).padStart(8, "0")}`;
const message = (/** @type {number} */ number) => ({
  id: id(number),
  source_guid: `guid-${number}`,
  created_at: 1_700_000_000 + number,
  user_id: "11",
  name: "Ben",
  text: `line ${number}`,
  favorited_by: [],
  attachments: [],
});
const messages = (/** @type {number} */ from, /** @type {number} */ to) =>
  Array.from({ length: to - from + 1 }, (_, step) => message(from + step));

/** A group of which the newest messages are loaded, and three unread. */
const group = (/** @type {number} */ from, /** @type {number} */ to) =>
  /** @type {any} */ ({
    conv: CLIMBERS,
    kind: "group",
    group: { id: "1", members: [] },
    messages: messages(from, to),
    complete: false,
    n: to,
    messageN: to,
    readN: to - 3,
    unread: 3,
    count: to,
    outbox: [{ guid: "waits" }],
    pendingLikes: {},
    held: true,
  });

const numbers = (/** @type {any} */ { messages: list }) => list.map(({ text = "" }) => Number(text.slice(5)));

test("an old place shows only its own range of messages", () => {
  const led = withPast(group(90, 100), messages(40, 44));
  const seen = seenNow(led);
  assert.deepEqual(numbers(seen), [40, 41, 42, 43, 44]);
  assert.deepEqual([seen.unread, seen.outbox.length], [0, 0]);
  assert.deepEqual([led.unread, numbers(led).at(-1)], [3, 100], "lists go on showing the newest");
  assert.equal(seenNow(led), seen, "what did not change is drawn once");
});

test("the stretch grows by pages that join it, and by no others", () => {
  const led = withPast(group(90, 100), messages(40, 44));
  const grown = withNewerPast(withOlderPast(led, messages(36, 39), id(40)), messages(45, 47), id(44));
  assert.deepEqual(numbers(seenNow(grown)), [36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47]);
  assert.equal(withOlderPast(grown, messages(36, 39), id(40)), grown);
  assert.equal(withNewerPast(grown, messages(45, 47), id(44)), grown);
  assert.equal(seenNow(grown).complete, false);
  assert.equal(seenNow(withOlderPast(grown, [], id(36))).complete, true, "nothing is before it");
});

test("a range that reaches the newest messages joins them", () => {
  const led = withPast(group(90, 100), messages(80, 85));
  const met = withNewerPast(led, messages(86, 95), id(85));
  assert.equal(met.past, null);
  assert.deepEqual([numbers(met)[0], met.messages.length, met.unread], [80, 21, 3]);
  assert.equal(withPast(group(90, 100), messages(88, 91)).past, null, "at once, where it reaches so far");
});

test("message changes show in an old range", () => {
  const conversations = { [CLIMBERS]: withPast(group(90, 100), messages(40, 44)) };
  const snapshot = /** @type {any} */ ({ user: { id: "10" }, conversations, blocked: [] });
  const happens = (/** @type {number} */ n, /** @type {string} */ type, /** @type {object} */ data) =>
    /** @type {any} */ ({ c: "c", conv: CLIMBERS, n, type, data });
  let now = applyEvent(snapshot, happens(101, "message.update", { id: id(42), text: "changed" }));
  now = applyEvent(now, happens(102, "favorite", { message_id: id(43), favorited_by: ["12"] }));
  const reply = { type: "reply", reply_id: id(44), base_reply_id: id(44) };
  now = applyEvent(now, happens(103, "line.create", { ...message(101), attachments: [reply] }));
  const seen = seenNow(now.conversations[CLIMBERS]).messages;
  assert.equal(seen[2].text, "changed");
  assert.deepEqual(seen[3].favorited_by, ["12"]);
  assert.equal(seen[4].reply_count, 1);
  assert.equal(now.conversations[CLIMBERS].messages.at(-1)?.id, id(101));
});
