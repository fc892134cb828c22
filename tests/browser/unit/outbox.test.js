/**
 * Sending: whatever becomes of one message, the next one goes out.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { createApi } from "../../../static/js/api.js";
import { createOutbox } from "../../../static/js/outbox.js";
import { createState } from "../../../static/js/state.js";
import { fromSync } from "../../../static/js/store.js";

const CLIMBERS = "g:1";
const GROUP = { id: "1", name: "Climbers", creator_user_id: "10", created_at: 1, members: [] };

/** An outbox whose requests are answered like this, one after the other. */
function outboxOver(/** @type {((body: any) => Response)[]} */ answers) {
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
  const outbox = createOutbox({ api: createApi({ fetch: /** @type {any} */ (fetch) }), state });
  const conversation = () => /** @type {any} */ (state.get().snapshot?.conversations[CLIMBERS]);
  return { outbox, conversation };
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

test("an answer that is cut off fails one message, and the next one goes out", async () => {
  const { outbox, conversation } = outboxOver([cutOff, created]);
  outbox.send(CLIMBERS, "first");
  outbox.send(CLIMBERS, "second");
  await until(() => conversation().messages.length === 1);
  assert.equal(conversation().messages[0].text, "second");
  const [first] = conversation().outbox;
  // Whether it arrived is unknown: the same guid may go out again.
  assert.deepEqual([first.text, first.state, first.again], ["first", "failed", true]);
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
  await until(() => conversation().outbox[0]?.state === "failed");
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
