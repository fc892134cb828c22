/** The delivery log: pages as one list, words, when it is asked, and what was said. */

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  attemptsWords,
  goneAt,
  isOpen,
  nextWords,
  outcomeWords,
  pretty,
  refreshed,
  replayedWords,
  untilWords,
  withOlder,
} from "../../../static/js/deliveries/deliveries.js";
import { createDeliveryLog } from "../../../static/js/deliveries/delivery_log.js";
import { createTexts } from "../../../static/js/deliveries/delivery_texts.js";
import { createPoll } from "../../../static/js/deliveries/poll.js";

/** @typedef {import("../../../static/js/deliveries/deliveries.js").Delivery} Delivery */
/** @typedef {import("../../../static/js/deliveries/delivery_log.js").Log} Log */

/** @returns {Delivery} */
const delivery = (/** @type {number} */ id, facts = {}) => ({
  id: String(id),
  message_id: `17000000000000000${id}`,
  state: "delivered",
  attempt: 1,
  status: 204,
  latency_ms: 12,
  at: 1000 + id,
  next_at: null,
  answer: "",
  ...facts,
});

/** From `newest` down to `oldest`. */
const run = (/** @type {number} */ newest, /** @type {number} */ oldest) =>
  Array.from({ length: newest - oldest + 1 }, (_, at) => delivery(newest - at));

const ids = (/** @type {Delivery[]} */ list) => list.map(({ id }) => Number(id));

test("a newer page lies over the list, and older pages stay below it", () => {
  const { list, isWhole } = refreshed(run(10, 1), run(11, 7), false);
  assert.deepEqual(ids(list), ids(run(11, 1)));
  assert.equal(isWhole, false);
  assert.equal(
    refreshed(run(5, 1), [delivery(5, { state: "dead" }), ...run(4, 3)], false).list[0].state,
    "dead",
  );
});

test("a delivery that leaves the filter disappears", () => {
  const dead = [delivery(9), delivery(7), delivery(5), delivery(2)];
  assert.deepEqual(ids(refreshed(dead, [dead[0], dead[2]], false).list), [9, 5, 2]);
  assert.deepEqual(refreshed(dead, [], true), { list: [], isWhole: true });
});

test("a list with a gap to the newest page is reloaded", () => {
  assert.deepEqual(ids(refreshed(run(20, 1), run(60, 41), false).list), ids(run(60, 41)));
});

test("an older page comes below, and nothing twice", () => {
  assert.deepEqual(ids(withOlder(run(10, 6), run(7, 3))), ids(run(10, 3)));
});

test("attempts, responses and pauses have texts", () => {
  assert.deepEqual([0, 1, 3].map(attemptsWords), ["no attempt yet", "1 attempt", "3 attempts"]);
  assert.equal(outcomeWords(delivery(1, { status: 500 })), "500 in 12 ms");
  assert.equal(outcomeWords(delivery(1, { status: null, latency_ms: 10_020 })), "no answer after 10 s");
  assert.equal(outcomeWords(delivery(1, { attempt: 0, status: null })), "");
  assert.equal(outcomeWords({ status: 204, latency_ms: 3 }), "204 in 3 ms");
  assert.deepEqual(
    [-2, 0, 4.2, 89, 600, 7200].map((seconds) => untilWords(1000 + seconds, 1000)),
    ["now", "now", "in 5 s", "in 89 s", "in 10 min", "in 2 h"],
  );
  assert.equal(nextWords(delivery(1), 1000), "");
  assert.deepEqual([0, 1, 2].map(replayedWords), [
    "There was nothing to replay.",
    "1 delivery is being sent again.",
    "2 deliveries are being sent again.",
  ]);
});

test("a delivery with a retry counts as open", () => {
  const states = /** @type {const} */ (["pending", "delivered", "failed", "parked", "dead"]);
  assert.deepEqual(
    states.filter((state) => isOpen(delivery(1, { state }))),
    ["pending", "failed", "parked"],
  );
});

test("JSON is laid out, and nothing in it changes", () => {
  assert.equal(pretty('{"a":["b"]}'), '{\n  "a": [\n    "b"\n  ]\n}');
  assert.equal(pretty("<p>sorry</p>"), "<p>sorry</p>");
  const exact = '{"id":170000000000000001}';
  assert.equal(pretty(exact), exact, "as a number it would be another id");
});

test("a 410 is why a bot is off only if nothing was delivered after it", () => {
  const gone = delivery(3, { state: "dead", status: 410, at: 2000 });
  assert.equal(goneAt([gone, ...run(2, 1)]), 2000);
  assert.equal(goneAt([delivery(4, { at: 2100 }), gone]), null);
  assert.equal(goneAt([delivery(3, { state: "dead", status: 404 })]), null);
  assert.equal(goneAt([delivery(4, { state: "pending", attempt: 0, at: 2100 }), gone]), 2000);
  assert.equal(goneAt([]), null);
});

/** A log whose server answers with what is next in line. */
function logOf(/** @type {Delivery[][]} */ ...pages) {
  /** @type {object[]} */
  const asked = [];
  /** @type {Log[]} */
  const shown = [];
  const log = createDeliveryLog({
    api: {
      async deliveries(id, query) {
        asked.push({ id, ...query });
        const page = pages.shift();
        if (!page) throw new Error("The server cannot be reached.");
        return page;
      },
    },
    isSeen: () => true,
    onChange: (now) => shown.push(now),
  });
  return { log, asked, last: () => shown[shown.length - 1] };
}

test("a log loads the newest page, then older ones below it", async () => {
  const { log, asked, last } = logOf(run(45, 26), run(25, 6), run(5, 1));
  await log.open("echo", null);
  assert.deepEqual([ids(last().list ?? []), last().isWhole], [ids(run(45, 26)), false]);
  await log.older();
  assert.equal(last().isWhole, false);
  await log.older();
  assert.deepEqual([ids(last().list ?? []), last().isWhole], [ids(run(45, 1)), true]);
  assert.deepEqual(asked, [
    { id: "echo", state: null, limit: 20 },
    { id: "echo", state: null, before: "26", limit: 20 },
    { id: "echo", state: null, before: "6", limit: 20 },
  ]);
  log.close();
});

test("a failed refresh keeps the log and shows an error", async () => {
  const { log, last } = logOf(run(3, 1));
  await log.open("echo", null);
  await log.open("echo", null);
  assert.deepEqual(ids(last().list ?? []), [3, 2, 1]);
  assert.equal(last().trouble, "The server cannot be reached.");
  log.close();
});

test("another filter shows nothing of the one before", async () => {
  const { log, last } = logOf(run(3, 1), []);
  await log.open("echo", null);
  const opening = log.open("echo", "dead");
  assert.equal(last().list, null);
  await opening;
  assert.deepEqual(last(), { list: [], isWhole: true, trouble: "" });
  log.close();
});

test("an outdated response is dropped, and hidden pages do not poll", async () => {
  /** @type {((value: number) => void)[]} */
  const answers = [];
  /** @type {boolean[]} */
  const current = [];
  let isSeen = true;
  const poll = createPoll(
    async (isCurrent) => {
      const ms = await new Promise((resolve) => answers.push(resolve));
      current.push(isCurrent());
      return /** @type {number} */ (ms);
    },
    () => isSeen,
  );
  const first = poll.start();
  const second = poll.start();
  answers[0](10_000);
  answers[1](10_000);
  await Promise.all([first, second]);
  assert.deepEqual(current, [false, true]);
  isSeen = false;
  await poll.start();
  assert.equal(answers.length, 2);
  poll.stop();
});

test("messages are looked up once, by the page, and not where they are known", async () => {
  const message = (/** @type {number} */ number) =>
    /** @type {any} */ ({
      id: `17000000000000000${number}`,
      name: "Ana",
      text: `line ${number}`,
      attachments: [],
    });
  /** @type {string[]} */
  const asked = [];
  const texts = createTexts({
    api: {
      async messages(_group, { beforeId }) {
        asked.push(beforeId ?? "");
        return [message(5), message(4)];
      },
    },
    known: () => [message(6)],
  });
  const wanted = [6, 5, 4].map((number) => message(number).id);
  await texts.learn("1", wanted);
  await texts.learn("1", wanted);
  assert.deepEqual(wanted.map(texts.of), ["Ana: line 6", "Ana: line 5", "Ana: line 4"]);
  assert.deepEqual(asked, ["170000000000000006"]);
  assert.equal(texts.of("1"), "");
});
