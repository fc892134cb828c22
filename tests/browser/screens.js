/**
 * Pictures of the main screens, in light and dark and at three widths, to be looked at:
 * `npm run screens`. They lie in `pictures/screens/`, which is not kept.
 */

import { mkdir } from "node:fs/promises";
import { chromium } from "playwright-core";
import { png } from "./paint.js";
import { Server } from "./server.js";
import { BROWSER, World } from "./world.js";

const FOLDER = new URL("pictures/screens/", import.meta.url).pathname;
/** All of them, or those that the command line names. */
const WIDTHS = [
  { name: "narrow", width: 320, height: 640 },
  { name: "phone", width: 390, height: 844 },
  { name: "laptop", width: 1280, height: 800 },
  { name: "wide", width: 2560, height: 1300 },
].filter(({ name }) => process.argv.length < 3 || process.argv.includes(name));

/** @typedef {import("./person.js").Person} Person */

/** A PNG of this size that fades from one colour to another. */
function faded(/** @type {number} */ width, /** @type {number} */ height, /** @type {number} */ hue) {
  const rows = Buffer.alloc(height * (width * 3 + 1));
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const at = y * (width * 3 + 1) + 1 + x * 3;
      rows[at] = (hue + (x * 200) / width) % 256;
      rows[at + 1] = 90 + (y * 120) / height;
      rows[at + 2] = (hue * 3 + (x + y) / 9) % 256;
    }
  }
  return png(width, height, rows);
}

async function uploads(/** @type {Person} */ person, /** @type {Buffer} */ picture) {
  const headers = { "X-Access-Token": person.token };
  const body = new Blob([new Uint8Array(picture)], { type: "image/png" });
  const answer = await fetch(`${person.world.server.url}/pictures`, { method: "POST", headers, body });
  return (await answer.json()).payload.url;
}

/** A message with pictures of these sizes. */
async function shows(
  /** @type {Person} */ person,
  /** @type {{ id: string }} */ group,
  /** @type {string} */ text,
  /** @type {number[][]} */ ...sizes
) {
  const attachments = [];
  for (const [at, [width, height]] of sizes.entries()) {
    attachments.push({ type: "image", url: await uploads(person, faded(width, height, at * 60)) });
  }
  const message = { source_guid: crypto.randomUUID(), text, attachments };
  await person.call("POST", `/v3/groups/${group.id}/messages`, { message });
}

/** What shows that a page is there that comes when it is opened. @type {Record<string, string>} */
const PARTS = { members: ".panel-body", account: ".account-page" };

const server = await Server.start(["--rate-limit", "off"]);
const world = new World(server, await chromium.launch(BROWSER));
try {
  await mkdir(FOLDER, { recursive: true });
  const people = ["Ana", "Ben Okonkwo", "Cleo", "Ema", "יוסי כהן", "a".repeat(50)];
  const [ana, ben, cleo, ema, yossi, long] = await Promise.all(
    people.map(async (name, at) => {
      const person = await world.visitor(`p${at}`);
      person.name = name;
      await person.hasAnAccount();
      return person;
    }),
  );
  const climbers = await ben.hasGroup("Climbers", ana, cleo, ema, yossi, long);
  const others = [
    "Book club",
    "משפחה",
    `Zalgo ${"Z\u0310\u0351\u0352".repeat(12)}`,
    "Team meetings on Thursday and more",
  ];
  for (const name of others) await ema.says(await ema.hasGroup(name, ana), `Welcome to ${name}`);
  await ben.says(climbers, "Anyone up for the north wall on Saturday? Forecast looks dry until the evening.");
  await cleo.says(climbers, "I'm in! I can bring the second rope, the 60 m one.");
  await cleo.says(climbers, "See https://topo.example.org/north-wall/2024/approach?from=parking#map");
  await shows(ben, climbers, "From last time", [900, 600], [600, 900], [800, 800]);
  await shows(ana, climbers, "", [1200, 500]);
  await yossi.says(climbers, "שלום לכולם, אני מגיע ב-6 עם rope ועוד משהו");
  await long.says(climbers, `${"H\u0310\u0351\u0352\u0353\u0354\u0355".repeat(40)} ${"\u0489".repeat(200)}`);
  await long.says(climbers, `${"unbreakable".repeat(14)} \u202Etxet desrever\u202C`);
  await ana.says(climbers, "Count me in");
  await ana.says(climbers, "I'll drive, three seats free 🚗");
  await ema.says(climbers, "🧗‍♀️🧗");
  await ben.writesTo(ana, "Do you still have my chalk bag?");
  await ana.writesTo(ben, "Yes! On my kitchen table");

  const context = await world.browser.newContext({ locale: "en-GB", timezoneId: "Europe/Lisbon" });
  const page = await context.newPage();
  const takes = async (/** @type {string} */ name) => {
    await page.evaluate(() =>
      // One that is fetched only once it is near would be waited for without end.
      Promise.all(
        [...document.images]
          .filter(({ complete, loading }) => complete || loading !== "lazy")
          .map((image) => image.decode().catch(() => {})),
      ),
    );
    // Colours fade and bars slide; then two frames, so that everything is drawn.
    await page.evaluate(async () => {
      await document.fonts.ready;
      const ends = document
        .getAnimations()
        .filter(({ effect }) => effect?.getTiming().iterations !== Infinity);
      await Promise.all(ends.map(({ finished }) => finished.catch(() => {})));
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    });
    await page.screenshot({ path: `${FOLDER}${name}.png` });
  };
  const pair = [ana.id, ben.id].sort((a, b) => Number(a) - Number(b)).join("+");
  const screens = /** @type {Record<string, string>} */ ({
    home: "#/",
    group: `#/groups/${climbers.id}`,
    members: `#/groups/${climbers.id}/members`,
    chat: `#/chats/${pair}`,
    account: "#/account",
  });
  for (const { name: size, ...viewport } of WIDTHS) {
    for (const scheme of /** @type {const} */ (["light", "dark"])) {
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme: scheme });
      await page.goto(server.url);
      await page.evaluate(() => localStorage.clear());
      await page.reload();
      await page.getByRole("heading", { name: "Log in" }).waitFor();
      await takes(`${size}-${scheme}-sign-in`);
      await page.evaluate((token) => localStorage.setItem("coterie.token", token), ana.token);
      await page.reload();
      for (const [name, hash] of Object.entries(screens)) {
        await page.goto(`${server.url}/${hash}`);
        await page.locator(".side").getByText("Connected").waitFor({ state: "attached" });
        // Some pages come only now.
        if (PARTS[name]) await page.locator(PARTS[name]).waitFor();
        await takes(`${size}-${scheme}-${name}`);
      }
    }
  }
} finally {
  await world.browser.close();
  await server.end();
}
