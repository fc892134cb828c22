/**
 * Sending: everything arrives once, and in the order in which it was written.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { createOutbox } from "../../../static/js/composer/outbox.js";
import { createKept } from "../../../static/js/device/kept.js";
import { createApi } from "../../../static/js/sync/api.js";
import { createState } from "../../../static/js/sync/state.js";
import { fromSync } from "../../../static/js/sync/store.js";

const CLIMBERS = "g:1";
const GROUP = { id: "1", name: "Climbers", creator_user_id: "10", created_at: 1, members: [] };

/** An outbox whose requests are answered like this, one after the other. */
function outboxOver(/** @type {((body: any) => Response)[]} */ answers, kept = createKept(() => shelf())) {
  const sync = {
    c: "1",
    user: { id: "10", name: "Ana" },
    groups: [{ group: GROUP, messages: [], n: 0, read_n: 0, unread: 0 }],
  };
  const state = createState(/** @type {any} */ ({ snapshot: fromSync(/** @type {any} */ (sync)) }));
  const fetch = async (/** @type {any} */ _url, /** @type {any} */ { body }) => {
    const answer = answers.shift();
    assert.ok(answer, "nobody expected this request");
    return answer(JSON.parse(body).message);
  };
  /** @type {(() => void)[]} */
  const later = [];
  const outbox = createOutbox({
    api: createApi({ fetch: /** @type {any} */ (fetch) }),
    state,
    kept,
    later: (run) => later.push(run),
  });
  const conversation = () => /** @type {any} */ (state.get().snapshot?.conversations[CLIMBERS]);
  return { outbox, conversation, later };
}

/** A place to keep things, as browsers have one. */
function shelf() {
  /** @type {Map<string, string>} */
  const kept = new Map();
  return {
    getItem: (/** @type {string} */ key) => kept.get(key) ?? null,
    setItem: (/** @type {string} */ key, /** @type {string} */ value) => void kept.set(key, value),
    removeItem: (/** @type {string} */ key) => void kept.delete(key),
    key: (/** @type {number} */ at) => [...kept.keys()][at] ?? null,
    get length() {
      return kept.size;
    },
  };
}

let stored = 0;
const created = (/** @type {any} */ message) => {
  stored += 1;
  const whole = { id: `170000000${stored}00000000`, user_id: "10", ...message };
  return new Response(JSON.stringify({ response: { message: whole }, meta: { code: 201 } }), { status: 201 });
};
const cutOff = () => new Response('{"response":{"mess', { status: 201 });
const withoutMessage = () => new Response('{"response":{},"meta":{"code":201}}', { status: 201 });

/** Resolves once this is so. */
async function until(/** @type {() => boolean} */ isSo) {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
}

test("messages are sent in the order of writing", async () => {
  const { outbox, conversation } = outboxOver([cutOff, created, created]);
  outbox.send(CLIMBERS, "first");
  outbox.send(CLIMBERS, "second");
  await until(() => conversation().outbox.every((/** @type {any} */ it) => it.state === "waiting"));
  const [first, second] = conversation().outbox;
  // Whether it arrived is unknown: the same guid may go out again.
  assert.deepEqual([first.text, first.again, second.text], ["first", true, "second"]);
  outbox.retry(CLIMBERS, second.guid);
  await until(() => conversation().messages.length === 2);
  const texts = conversation().messages.map((/** @type {any} */ it) => it.text);
  assert.deepEqual(texts, ["first", "second"]);
});

test("a message whose answer was cut off goes out again under its guid", async () => {
  /** @type {string[]} */
  const guids = [];
  const note = (/** @type {any} */ how) => (/** @type {any} */ message) => {
    guids.push(message.source_guid);
    return how(message);
  };
  const { outbox, conversation } = outboxOver([note(cutOff), note(created)]);
  outbox.send(CLIMBERS, "first");
  await until(() => conversation().outbox[0]?.state === "waiting");
  outbox.retryAll();
  await until(() => conversation().messages.length === 1);
  assert.equal(guids[0], guids[1]);
});

test("an answer that makes no sense fails one message only", async () => {
  const { outbox, conversation } = outboxOver([withoutMessage, created]);
  const told = new Promise((resolve) => process.once("unhandledRejection", resolve));
  outbox.send(CLIMBERS, "first");
  outbox.send(CLIMBERS, "second");
  await until(() => conversation().messages.some((/** @type {any} */ it) => it?.text === "second"));
  assert.equal(conversation().outbox[0].state, "failed");
  void told;
});

test("waiting messages are retried with growing pauses", async () => {
  const { outbox, conversation, later } = outboxOver([cutOff, cutOff, created]);
  outbox.send(CLIMBERS, "first");
  await until(() => later.length === 1);
  later[0]();
  await until(() => later.length === 2);
  later[1]();
  await until(() => conversation().messages.length === 1);
  assert.deepEqual(conversation().outbox, []);
});

test("unsent messages return on the next visit and are sent once", async () => {
  const kept = createKept(
    (
      (all) => () =>
        all
    )(shelf()),
  );
  /** @type {string[]} */
  const guids = [];
  const note = (/** @type {any} */ how) => (/** @type {any} */ message) => {
    guids.push(message.source_guid);
    return how(message);
  };
  const before = outboxOver([note(cutOff)], kept);
  before.outbox.send(CLIMBERS, "first");
  before.outbox.send(CLIMBERS, "second");
  await until(() => before.conversation().outbox.every((/** @type {any} */ one) => one.state === "waiting"));
  const [first, second] = before.conversation().outbox;

  const after = outboxOver([note(created), note(created)], kept);
  after.outbox.restore();
  after.outbox.restore();
  const waiting = after.conversation().outbox.map((/** @type {any} */ one) => [one.text, one.state]);
  assert.deepEqual(waiting, [
    ["first", "waiting"],
    ["second", "waiting"],
  ]);
  after.outbox.retryAll();
  await until(() => after.conversation().messages.length === 2);
  assert.deepEqual(guids, [first.guid, first.guid, second.guid]);
  const third = outboxOver([], kept);
  third.outbox.restore();
  assert.deepEqual(third.conversation().outbox, [], "nothing is left");
});

test("refused and deleted messages are not sent on the next visit", async () => {
  const all = shelf();
  const kept = createKept(() => all);
  const refused = () => new Response('{"meta":{"code":400,"errors":["too long"]}}', { status: 400 });
  const before = outboxOver([refused, cutOff], kept);
  before.outbox.send(CLIMBERS, "refused");
  before.outbox.send(CLIMBERS, "deleted");
  await until(() => before.conversation().outbox[1]?.state === "waiting");
  before.outbox.discard(CLIMBERS, before.conversation().outbox[1].guid);
  const after = outboxOver([], kept);
  after.outbox.restore();
  after.outbox.retryAll();
  const [one, ...others] = after.conversation().outbox;
  assert.deepEqual([one.text, one.state, one.why, others], ["refused", "failed", "Too long.", []]);
});

test("old unsent messages need a confirmation", () => {
  const all = shelf();
  const kept = createKept(() => all);
  kept.keepUnsent("10", CLIMBERS, {
    guid: "old",
    text: "old words",
    attachments: [],
    at: 1_600_000_000,
    order: 1,
    state: "waiting",
  });
  const { outbox, conversation } = outboxOver([], kept);
  outbox.restore();
  outbox.retryAll();
  assert.equal(conversation().outbox[0].state, "failed");
});
