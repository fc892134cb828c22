/** Several nodes: a client continues at another one when its own is killed. */

import { test } from "node:test";
import { Nodes } from "../nodes.js";
import { World } from "../world.js";

const BEFORE = Array.from({ length: 20 }, (_, number) => `before ${number}`);
const AFTER = Array.from({ length: 20 }, (_, number) => `after ${number}`);

test("a chat continues at another node after a kill", async (t) => {
  const nodes = await Nodes.start(t, 2);
  const [first, second] = nodes.all;
  const world = await World.before(t, second);
  const address = await nodes.address(t, first, second);
  const [ana, ben] = [await world.person("Ana", { address }), await world.person("Ben")];
  const climbers = await ben.hasGroup("Climbers", ana);
  await ana.opens("Climbers");
  await ben.opens("Climbers");
  await ana.writes("who leads?");
  await ben.reads("who leads?");
  await ben.writes("you do");
  await ana.reads("you do");

  for (const text of BEFORE) await ben.says(climbers, text);
  await first.isKilled();
  for (const text of AFTER) await ben.says(climbers, text);
  await ana.reads(AFTER[19]);
  await ana.isConnected();
  await ana.writes("and on we go");
  await ben.reads("and on we go");
  const all = ["who leads?", "you do", ...BEFORE, ...AFTER, "and on we go"];
  await ana.hasRead(...all);
  await ben.hasRead(...all);
});
