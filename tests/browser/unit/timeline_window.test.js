/** Which messages are in the page: a stretch of bounded length that stays where the reader is. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { firstUnread } from "../../../static/js/sync/log.js";
import { insert, merge } from "../../../static/js/sync/messages.js";
import {
  AT_END,
  around,
  bounds,
  MOST,
  MOST_AT_END,
  NEWEST,
  STEP,
  settled,
  withNewer,
  withOlder,
} from "../../../static/js/timeline/timeline_window.js";

/** @typedef {import("../../../static/js/sync/types.js").Message} Message */

const id = (/** @type {number} */ number) => String(1_000_000 + number);
const message = (/** @type {number} */ number, author = "11") =>
  /** @type {Message} */ (/** @type {unknown} */ ({ id: id(number), user_id: author, created_at: number }));
const many = (/** @type {number} */ count) => Array.from({ length: count }, (_, i) => message(i));

test("a conversation opens with its newest messages", () => {
  assert.deepEqual(bounds(many(1000), AT_END), { from: 1000 - NEWEST, to: 1000 });
  assert.deepEqual(bounds(many(3), AT_END), { from: 0, to: 3 });
  assert.deepEqual(bounds([], AT_END), { from: 0, to: 0 });
});

test("scrolling both ways shows every message within the limit", () => {
  const messages = many(1000);
  let window = settled(messages, AT_END, true);
  const seen = new Set();
  const look = () => {
    const { from, to } = bounds(messages, window);
    assert.ok(to - from <= MOST);
    for (const { id: one } of messages.slice(from, to)) seen.add(one);
    return { from, to };
  };
  while (look().from > 0) window = withOlder(messages, window);
  assert.equal(seen.size, 1000);
  seen.clear();
  while (look().to < 1000) window = withNewer(messages, window);
  assert.equal(seen.size, 1000);
  assert.equal(window.last, null, "at the end again: what comes is shown");
});

test("older messages that are loaded do not move the window", () => {
  const messages = many(300).slice(200);
  const window = settled(messages, AT_END, false);
  const { from } = bounds(messages, window);
  const more = merge(messages, many(200));
  assert.equal(more[bounds(more, window).from], messages[from]);
  const up = withOlder(more, window);
  assert.equal(bounds(more, window).from - bounds(more, up).from, STEP);
});

test("new messages appear at the end and drop the oldest", () => {
  let messages = many(NEWEST);
  let atEnd = settled(messages, AT_END, true);
  let above = atEnd;
  for (let number = NEWEST; number < 500; number += 1) {
    messages = insert(messages, message(number));
    atEnd = settled(messages, atEnd, true);
    above = settled(messages, above, false);
    assert.equal(bounds(messages, atEnd).to, messages.length);
    assert.ok(bounds(messages, atEnd).to - bounds(messages, atEnd).from <= MOST_AT_END);
  }
  assert.deepEqual(bounds(messages, above), { from: 0, to: MOST });
});

test("a window around a message has it in its middle", () => {
  const messages = many(1000);
  const { from, to } = bounds(messages, around(messages, id(500)));
  assert.deepEqual([from, to], [500 - NEWEST / 2, 500 + NEWEST / 2]);
});

test("the first unread message is counted from the newest, mine left out", () => {
  const messages = [message(1), message(2), message(3, "10"), message(4)];
  const log = (/** @type {number} */ unread) => /** @type {any} */ ({ messages, unread });
  assert.equal(firstUnread(log(0), "10"), null);
  assert.equal(firstUnread(log(1), "10"), id(4));
  assert.equal(firstUnread(log(2), "10"), id(2));
  assert.equal(firstUnread(log(9), "10"), null, "it is not loaded");
});
