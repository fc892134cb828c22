/**
 * npm cometd as an independent tester of `/faye`, with the adapter for Node that its
 * project publishes: on a WebSocket and by long-polling, across a restart, and over a
 * wire that loses answers, with its acknowledgements and without.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { CometD } from "cometd";
import { AckExtension } from "cometd/AckExtension.js";
import { adapt } from "cometd-nodejs-client";
import { losing } from "./losing.js";
import { Heard, group, leaves, person, says, world } from "./world.js";

adapt();

const TRANSPORTS = ["websocket", "long-polling"];

/** A client that subscribes whenever it has shaken hands; what it hears. */
async function listens(server, who, transport, { url = server.url, acks = false } = {}) {
  const cometd = new CometD();
  if (acks) cometd.registerExtension("ack", new AckExtension());
  for (const name of cometd.getTransportTypes()) {
    if (name !== transport) cometd.unregisterTransport(name);
  }
  cometd.configure({ url: `${url}/faye`, backoffIncrement: 100, maxBackoff: 500, logLevel: "error" });
  const [texts, replies] = [new Heard(), new Heard()];
  let cursor;
  cometd.addListener("/meta/handshake", (handshake) => {
    if (!handshake.successful) return;
    const ext = { access_token: who.token, ...(cursor && { after: cursor }) };
    const hears = (message) => {
      cursor = message.ext?.c ?? cursor;
      if (message.data.type !== "ping") texts.takes(message.data.subject.text);
    };
    cometd.subscribe(`/user/${who.id}`, hears, { ext }, (reply) => {
      cursor ??= reply.ext?.c;
      replies.takes(reply);
    });
  });
  leaves(server, () => new Promise((resolve) => cometd.disconnect(resolve)));
  cometd.handshake();
  return { cometd, texts, subscribed: await replies.next() };
}

for (const transport of TRANSPORTS) {
  test(`by ${transport}: it hears everything in order`, async (t) => {
    const server = await world(t);
    const ana = await person(server, "Ana");
    const climbers = await group(server, ana, "Climbers");
    const { cometd, texts, subscribed } = await listens(server, ana, transport);
    assert.equal(subscribed.successful, true);
    assert.equal(cometd.getTransport().type, transport);
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
    const { subscribed } = await listens(server, { ...ana, token: "wrong" }, transport);
    assert.equal(subscribed.successful, false);
    assert.match(subscribed.error, /^403:/);
  });

  test(`by ${transport}: with its cursor it misses nothing of a restart`, async (t) => {
    const server = await world(t);
    const ana = await person(server, "Ana");
    const climbers = await group(server, ana, "Climbers");
    const { texts } = await listens(server, ana, transport);
    await says(server, ana, climbers, "before");
    await texts.until("before");
    await server.isKilled();
    await server.starts();
    for (const words of ["one", "two", "three"]) await says(server, ana, climbers, words);
    await texts.until("one", ["before"]);
    await texts.until("two");
    await texts.until("three");
  });

  for (const acks of [true, false]) {
    const how = acks ? "with acknowledgements it hears everything once" : "it hears everything";
    test(`by ${transport}: ${how}, whatever gets lost`, async (t) => {
      const server = await world(t);
      const wire = await losing(t, server);
      const ana = await person(server, "Ana");
      const climbers = await group(server, ana, "Climbers");
      const { texts } = await listens(server, ana, transport, { url: wire.url, acks });
      const said = Array.from({ length: 30 }, (_, number) => `rope number ${number}.`);
      const heard = [];
      for (const words of said) {
        if (said.indexOf(words) % 5 === 3) wire.loses(words);
        await says(server, ana, climbers, words);
        // A loss would leave the client waiting here.
        while (!heard.includes(words)) heard.push(await texts.next());
      }
      assert.equal(wire.lost.length, 6);
      assert.deepEqual(acks ? heard : [...new Set(heard)], said);
    });
  }
}
