/** The push client in Node, against the real server: what a program of yours would do. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Push } from "../../../static/js/push.js";
import { Server } from "../server.js";

const registers = (/** @type {Server} */ server, /** @type {string} */ name) =>
  server.call("POST", "/auth/register", {
    body: { name, email: `${name}@example.org`, password: "correct horse" },
  });

/** A feed, and a way to wait for what it brings. */
function follow(/** @type {Server} */ server, /** @type {string} */ token) {
  /** @type {any[]} */
  const heard = [];
  /** @type {(() => void)[]} */
  const waiting = [];
  const note = (/** @type {any} */ it) => {
    heard.push(it);
    for (const wake of waiting.splice(0)) wake();
  };
  const push = new Push({
    url: `${server.url.replace("http", "ws")}/v3/push`,
    token,
    load: async () => {
      const { c, groups, chats } = await server.call("GET", "/v3/sync", { token });
      /** @type {Record<string, number>} */
      const heads = {};
      for (const { group, n } of groups) heads[`g:${group.id}`] = n;
      for (const { chat, n } of chats) heads[`d:${chat.last_message.conversation_id}`] = n;
      return { c, heads };
    },
    onEvent: note,
    onEphemeral: note,
    onState: (state) => note({ state }),
  });
  push.start();
  /** Waits for something that was or will be heard. */
  async function until(/** @type {(it: any) => boolean} */ fits) {
    for (;;) {
      const found = heard.find(fits);
      if (found) return found;
      await new Promise((/** @type {(value?: unknown) => void} */ resolve) => waiting.push(resolve));
    }
  }
  return { push, heard, until };
}

test("a program follows, survives a kill of the server, and misses nothing", {
  timeout: 240_000,
}, async (t) => {
  const server = await Server.start();
  t.after(() => server.end());
  const token = (await registers(server, "ana")).access_token;
  const group = await server.call("POST", "/v3/groups", { token, body: { name: "Climbers" } });
  const say = (/** @type {string} */ text) =>
    server.call("POST", `/v3/groups/${group.id}/messages`, {
      token,
      body: { message: { source_guid: text, text } },
    });
  const feed = follow(server, token);
  t.after(() => feed.push.stop());
  await feed.until(({ state }) => state === "live");
  await say("one");
  await feed.until(({ data }) => data?.text === "one");
  await server.isKilled();
  await feed.until(({ state }) => state === "waiting");
  await server.starts();
  await say("two");
  await feed.until(({ data }) => data?.text === "two");
  await say("three");
  await feed.until(({ data }) => data?.text === "three");
  const lines = feed.heard.filter(({ type }) => type === "line.create");
  assert.deepEqual(
    lines.map(({ data, n }) => [data.text, n]),
    [
      ["one", 2],
      ["two", 3],
      ["three", 4],
    ],
  );
});

test("typing and reading go through the feed", { timeout: 240_000 }, async (t) => {
  const server = await Server.start();
  t.after(() => server.end());
  const [ana, ben] = [await registers(server, "ana"), await registers(server, "ben")];
  const stored = await server.call("POST", "/v3/direct_messages", {
    token: ana.access_token,
    body: { direct_message: { source_guid: "1", recipient_id: ben.user.id, text: "rope at six" } },
  });
  const conv = `d:${stored.message.conversation_id}`;
  const [anas, bens] = [follow(server, ana.access_token), follow(server, ben.access_token)];
  t.after(() => anas.push.stop());
  t.after(() => bens.push.stop());
  for (const feed of [anas, bens]) await feed.until(({ state }) => state === "live");
  anas.push.sub([conv]);
  const here = await anas.until(({ type }) => type === "presence");
  assert.deepEqual(here.data, { user_id: ben.user.id, online: true });
  bens.push.typing(conv);
  assert.equal((await anas.until(({ type }) => type === "typing")).data.user_id, ben.user.id);
  bens.push.read(conv, 1);
  assert.deepEqual((await bens.until(({ type }) => type === "read")).data, { conv, n: 1, count: 1 });
  const receipt = await anas.until(({ type }) => type === "receipt");
  assert.deepEqual(receipt.data, { user_id: ben.user.id, n: 1 });
});
