/**
 * Takes the picture for the README: the real server, the real client, made-up people.
 *
 * Run it with `npm run picture` when the client's look has changed.
 */

import { chromium } from "playwright-core";
import { Server } from "./server.js";
import { BROWSER, World } from "./world.js";

const PICTURE = new URL("pictures/conversation.png", import.meta.url).pathname;

const server = await Server.start();
const world = new World(server, await chromium.launch(BROWSER));
try {
  const [ana, ben, cleo, ema] = await world.people("Ana", "Ben", "Cleo", "Ema");
  for (const [name, text] of [
    ["Book club", "Next one is at my place"],
    ["Flat 12", "The plumber comes on Monday"],
  ]) {
    await ema.says(await ema.hasGroup(name, ana), text);
  }
  const climbers = await ben.hasGroup("Climbers", ana, cleo, ema);
  await ben.says(climbers, "Anyone up for the north wall on Saturday?");
  await ben.says(climbers, "Forecast looks dry until the evening");
  await cleo.says(climbers, "I'm in! I can bring the second rope, the 60 m one.");
  await ana.says(climbers, "Count me in");
  await ana.says(climbers, "I'll drive, three seats free 🚗");
  await ben.says(climbers, "Mostly 5c, one pitch of 6a that you can walk around.");
  await ema.says(climbers, "🧗‍♀️🧗");
  await ana.visits();
  await ana.isSignedIn();
  await ana.opens("Climbers");
  await ana.writes("Rope at six, then coffee");
  await ana.knowsItIsSent("Rope at six, then coffee");
  await ana.page.screenshot({ path: PICTURE });
} finally {
  await world.end();
  await server.end();
}
