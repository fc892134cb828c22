/**
 * npm faye as an independent tester of `/faye`: on a WebSocket and by long-polling, and
 * across a restart of the server, of which it is told nothing.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import Faye from "faye";
import { Heard, group, leaves, person, says, world } from "./world.js";

const TRANSPORTS = ["websocket", "long-polling"];

/** A client with the token of somebody; goes on after the last cursor if it is told to. */
function client(server, who, transport, { gapless = false } = {}) {
  const faye = new Faye.Client(`${server.url}/faye`, { timeout: 45, retry: 0.2 });
  if (transport === "long-polling") faye.disable("websocket");
  let cursor;
  faye.addExtension({
    outgoing(message, pass) {
      if (!/^\/meta\/(?!subscribe)/.test(message.channel)) {
        message.ext = { access_token: who.token };
        if (gapless && cursor) message.ext.after = cursor;
      }
      pass(message);
    },
    incoming(message, pass) {
      cursor = message.ext?.c ?? cursor;
      pass(message);
    },
  });
  leaves(server, () => faye.disconnect());
  return faye;
}

/** What comes on a channel, but for pings. */
async function listens(faye, channel) {
  const heard = new Heard();
  await faye.subscribe(channel, (data) => {
    if (data.type !== "ping") heard.takes(data);
  });
  return heard;
}

async function connected(server, who, transport, options) {
  const faye = client(server, who, transport, options);
  const heard = await listens(faye, `/user/${who.id}`);
  const texts = new Heard();
  (async () => {
    for (;;) texts.takes((await heard.next()).subject.text);
  })().catch(() => {});
  return { faye, texts };
}

for (const transport of TRANSPORTS) {
  test(`by ${transport}: it hears everything in order`, async (t) => {
    const server = await world(t);
    const ana = await person(server, "Ana");
    const climbers = await group(server, ana, "Climbers");
    const { texts } = await connected(server, ana, transport);
    for (let number = 0; number < 50; number += 1) {
      await says(server, ana, climbers, `rope ${number}`);
    }
    for (let number = 0; number < 50; number += 1) {
      assert.equal(await texts.next(), `rope ${number}`);
    }
  });

  test(`by ${transport}: a wrong token is told where it subscribed`, async (t) => {
    const server = await world(t);
    const ana = await person(server, "Ana");
    const faye = client(server, { ...ana, token: "wrong" }, transport);
    const refused = Promise.resolve(faye.subscribe(`/user/${ana.id}`, () => {}));
    await assert.rejects(refused, { code: 403 });
  });

  test(`by ${transport}: likes and typing come on the group's channel`, async (t) => {
    const server = await world(t);
    const [ana, ben] = [await person(server, "Ana"), await person(server, "Ben")];
    const climbers = await group(server, ana, "Climbers");
    const members = [{ nickname: "Ben", user_id: ben.id }];
    await server.call("POST", `/v3/groups/${climbers.id}/members/add`, {
      token: ana.token,
      body: { members },
    });
    const anas = client(server, ana, transport);
    const heard = await listens(anas, `/group/${climbers.id}`);
    const bens = client(server, ben, transport);
    await listens(bens, `/user/${ben.id}`);
    await bens.publish(`/group/${climbers.id}`, { type: "typing", user_id: "1", started: 1 });
    const typing = await heard.next();
    assert.deepEqual([typing.type, typing.user_id], ["typing", ben.id]);
    const rope = await says(server, ana, climbers, "rope");
    await server.call("POST", `/v3/messages/${climbers.id}/${rope.id}/like`, { token: ben.token });
    const like = await heard.next();
    assert.deepEqual([like.type, like.subject.line.id], ["favorite", rope.id]);
    await assert.rejects(
      Promise.resolve(bens.publish(`/group/${climbers.id}`, { type: "line.create" })),
      { code: 403 },
    );
  });

  test(`by ${transport}: it comes back after a restart by itself`, async (t) => {
    const server = await world(t);
    const ana = await person(server, "Ana");
    const climbers = await group(server, ana, "Climbers");
    const { texts } = await connected(server, ana, transport);
    await says(server, ana, climbers, "before");
    await texts.until("before");
    await server.isKilled();
    await server.starts();
    let heard;
    for (let number = 0; !heard && number < 100; number += 1) {
      await says(server, ana, climbers, `after ${number}`);
      heard = await Promise.race([
        texts.next(),
        new Promise((resolve) => setTimeout(resolve, 200)),
      ]);
    }
    assert.match(heard ?? "nothing", /^after \d+$/);
  });

  test(`by ${transport}: with its cursor it misses nothing of a restart`, async (t) => {
    const server = await world(t);
    const ana = await person(server, "Ana");
    const climbers = await group(server, ana, "Climbers");
    const { texts } = await connected(server, ana, transport, { gapless: true });
    await says(server, ana, climbers, "before");
    await texts.until("before");
    await server.isKilled();
    await server.starts();
    for (const words of ["one", "two", "three"]) await says(server, ana, climbers, words);
    await texts.until("one");
    await texts.until("two");
    await texts.until("three");
  });
}
