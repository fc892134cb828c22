/** Networks that let no WebSocket through: everything works, by other ways. */

import { test } from "node:test";
import { World } from "../world.js";

/** @typedef {import("../person.js").Person} Person */

/** From the next visit on, none of these gets through for this person. */
async function isBehindAWall(/** @type {Person} */ person, /** @type {RegExp[]} */ ...walls) {
  await person.page.routeWebSocket(/\/v3\/push$/, (socket) => socket.close({ code: 1001 }));
  for (const wall of walls) await person.page.route(wall, (route) => route.abort());
  await person.page.reload();
  await person.isConnected();
}

for (const { by, walls } of [
  { by: "server-sent events", walls: [] },
  { by: "one question after another", walls: [/\/v3\/events\/stream/] },
]) {
  test(`without WebSockets messages come and are read by ${by}`, async (t) => {
    const world = await World.start(t);
    const [ana, ben] = await world.people("Ana", "Ben");
    const climbers = await ben.hasGroup("Climbers", ana);
    await isBehindAWall(ana, ...walls);
    await ben.says(climbers, "rope at six");
    await ana.inList(/Climbers.*rope at six.*Unread/s).waitFor();
    await ana.opens("Climbers");
    await ana.reads("rope at six");
    await ana.inList("Climbers").filter({ hasNotText: "Unread" }).waitFor();
    while ((await ana.call("GET", "/v3/sync")).groups[0].unread > 0);
    await ana.writes("I am here");
    await ana.knowsItIsSent("I am here");
    await world.server.isKilled();
    await ana.sees("Offline. Reconnecting…");
    await world.server.starts();
    await ben.says(climbers, "and back");
    await ana.reads("and back");
  });
}
