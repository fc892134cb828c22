/**
 * The push half of node-groupme as an independent tester: on a WebSocket, by long-polling
 * where none can be opened, and across a restart of the server.
 */

import assert from "node:assert/strict";
import net from "node:net";
import { test } from "node:test";
import tls from "node:tls";
import groupme from "node-groupme";
import { Heard, leaves, person, says, world } from "./world.js";

const { Client } = groupme;

/** Where nobody listens. */
function noSockets() {
  tls.connect = () => net.connect({ host: "127.0.0.1", port: 1 });
}

async function listens(server, who) {
  const client = new Client(who.token);
  const texts = new Heard();
  client.on("message", (message) => texts.takes(message.text));
  leaves(server, () => client.logout());
  await client.login();
  return { client, texts };
}

for (const transport of ["websocket", "long-polling"]) {
  test(`by ${transport}: it logs in and hears messages of groups`, async (t) => {
    const server = await world(t);
    if (transport === "long-polling") noSockets();
    const ana = await person(server, "Ana");
    const { client, texts } = await listens(server, ana);
    const climbers = await client.groups.create({ name: "Climbers" });
    for (const words of ["one", "two", "three"]) {
      await says(server, ana, climbers, words);
      assert.equal(await texts.next(), words);
    }
    await client.ws.subscribeToGroup(climbers.id);
    await says(server, ana, climbers, "four");
    assert.equal(await texts.next(), "four");
  });

  test(`by ${transport}: it comes back after a restart`, async (t) => {
    const server = await world(t);
    if (transport === "long-polling") noSockets();
    const ana = await person(server, "Ana");
    const { client, texts } = await listens(server, ana);
    const climbers = await client.groups.create({ name: "Climbers" });
    await says(server, ana, climbers, "before");
    assert.equal(await texts.next(), "before");
    await server.isKilled();
    await server.starts();
    let heard;
    for (let number = 0; !heard && number < 100; number += 1) {
      await says(server, ana, climbers, `after ${number}`);
      heard = await Promise.race([
        texts.next(),
        new Promise((resolve) => setTimeout(resolve, 500)),
      ]);
    }
    assert.match(heard ?? "nothing", /^after \d+$/);
  });
}
