/**
 * Takes the pictures for the README, on a computer and on a phone in the dark: the real server,
 * the real client, made-up people. Emoji need a font, such as Debian's fonts-noto-color-emoji.
 *
 * Run it with `npm run picture` when the client's look has changed.
 */

import { chromium } from "playwright-core";
import { Server } from "./server.js";
import { BROWSER, World } from "./world.js";

const place = (/** @type {string} */ name) => new URL(`pictures/${name}.png`, import.meta.url).pathname;

const server = await Server.start();
const world = new World(server, await chromium.launch(BROWSER));
try {
  const [ana, ben, cleo, ema] = await world.people("Ana", "Ben", "Cleo", "Ema");
  await ema.says(await ema.hasGroup("Book club", ana), "Next one is at my place");
  const climbers = await ben.hasGroup("Climbers", ana, cleo, ema);
  const question = await ben.says(climbers, "Anyone up for the north wall on Saturday?");
  await ben.says(climbers, "Forecast looks dry until the evening");
  const rope = await cleo.says(climbers, "I'm in! I can bring the second rope, the 60 m one.");
  await ana.says(climbers, "Count me in");
  const seats = await ana.says(climbers, "I'll drive, three seats free 🚗");
  await ema.says(climbers, "🧗‍♀️🧗");
  const { event } = await ben.call("POST", `/v3/conversations/${climbers.id}/events/create`, {
    name: "North wall",
    start_at: "2027-05-15T09:00:00+01:00",
    end_at: "2027-05-15T17:00:00+01:00",
    is_all_day: false,
    timezone: "Europe/Lisbon",
    location: { name: "Car park at the quarry" },
  });
  for (const [who, message] of /** @type {const} */ ([
    [ema, question],
    [ana, rope],
    [ben, rope],
    [ben, seats],
    [cleo, seats],
    [ema, seats],
  ])) {
    await who.call("POST", `/v3/messages/${climbers.id}/${message.id}/like`);
  }
  const answer = `/v3/conversations/${climbers.id}/events/rsvp?event_id=${event.event_id}&going=true`;
  for (const who of [ana, cleo]) await who.call("POST", answer);
  await ben.writesTo(ana, "Do you still have my chalk bag?");
  await ana.writesTo(ben, "Yes! On my kitchen table");
  await cleo.writesTo(ana, "Can I ride with you?");
  await ana.visits();
  await ana.isSignedIn();
  await ana.inList(/^Ben.*\(online\)/s).waitFor();
  await ana.opens("Climbers");
  await ana.writes("Rope at six, then coffee");
  await ana.knowsItIsSent("Rope at six, then coffee");
  // Nothing is pointed at.
  await ana.page.mouse.move(1270, 5);
  await ana.page.screenshot({ path: place("conversation") });

  const phone = await world.visitor("Ana", { phone: true });
  phone.token = ana.token;
  await phone.isSignedIn();
  await phone.page.emulateMedia({ colorScheme: "dark" });
  await phone.opens("Climbers");
  await phone.page.locator(".event").getByText("North wall").waitFor();
  await phone.page.mouse.move(200, 20);
  await phone.page.screenshot({ path: place("phone") });
} finally {
  await world.end().finally(() => world.browser.close());
  await server.end();
}
