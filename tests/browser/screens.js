/**
 * Pictures of every screen, window and state, in light and dark and at several widths, to be
 * looked at: `npm run screens`. They lie in `pictures/screens/`, which is not kept.
 *
 * Words after it choose: a width (`npm run screens -- narrow`), or what a screen's name begins
 * with (`npm run screens -- laptop window`).
 */

import { mkdir } from "node:fs/promises";
import { chromium } from "playwright-core";
import { populate } from "./screens_world.js";
import { Server } from "./server.js";
import { BROWSER, World } from "./world.js";

/** @typedef {import("playwright-core").Page} Page */
/**
 * @typedef {object} Screen
 * @property {string} name
 * @property {string} [hash] where it is; without one it is opened by itself
 * @property {(page: Page) => Promise<unknown>} [opens] from there
 * @property {(page: Page) => Promise<unknown>} [ends] what it left behind
 */

const FOLDER = new URL("pictures/screens/", import.meta.url).pathname;
const chosen = process.argv.slice(2);
const ALL_WIDTHS = [
  { name: "narrow", width: 320, height: 640 },
  { name: "phone", width: 390, height: 844 },
  { name: "laptop", width: 1280, height: 800 },
  { name: "wide", width: 2560, height: 1300 },
];
const named = ALL_WIDTHS.filter(({ name }) => chosen.includes(name));
const WIDTHS = named.length > 0 ? named : ALL_WIDTHS;
const beginnings = chosen.filter((word) => !ALL_WIDTHS.some(({ name }) => name === word));
const isWanted = (/** @type {Screen} */ { name }) =>
  beginnings.length === 0 || beginnings.some((beginning) => name.startsWith(beginning));

const server = await Server.start(["--rate-limit", "off"]);
const world = new World(server, await chromium.launch(BROWSER));

/** In whatever language. */
const isConnected = (/** @type {Page} */ page) =>
  page.locator('.side [data-state="live"]').waitFor({ state: "attached" });

/** A button, wherever it stands; the first of that name. */
const press = (/** @type {string} */ name) => (/** @type {Page} */ page) =>
  page.getByRole("button", { name, exact: true }).filter({ visible: true }).first().click();

/** A window that a button opens, with what says that it is whole. */
const window = (/** @type {string} */ name, /** @type {string} */ button, whole = ".dialog h2") => ({
  name: `window-${name}`,
  async opens(/** @type {Page} */ page) {
    await press(button)(page);
    await page.locator(whole).first().waitFor();
    // What it asks of the server first.
    await page.getByText("Loading…").waitFor({ state: "detached" });
    const first = page.locator(".dialog .gallery-picture img").first();
    if (await first.count()) await first.evaluate((/** @type {HTMLImageElement} */ image) => image.decode());
  },
});

/** An act of a line that somebody points at. */
const ofLine = (/** @type {string} */ name, /** @type {string} */ text, /** @type {string} */ button) => ({
  name: `window-${name}`,
  async opens(/** @type {Page} */ page) {
    const line = page.locator(".line", { hasText: text }).last();
    await line.scrollIntoViewIfNeeded();
    await line.hover();
    const isInBar = (await line.getByRole("button", { name: button, exact: true }).count()) > 0;
    await line.getByRole("button", { name: isInBar ? button : "More actions", exact: true }).click();
    if (!isInBar) await page.getByRole("menuitem", { name: button, exact: true }).click();
    await page.locator(".dialog h2").waitFor();
    await page.getByText("Loading…").waitFor({ state: "detached" });
  },
});

/** What is drawn once everything that moves has come to rest. */
async function rests(/** @type {Page} */ page) {
  await page.evaluate(() =>
    // One that is fetched only once it is near would be waited for without end.
    Promise.all(
      [...document.images]
        .filter(({ complete, loading }) => complete || loading !== "lazy")
        .map((image) => image.decode().catch(() => {})),
    ),
  );
  await page.evaluate(async () => {
    await document.fonts.ready;
    // What begins to fade with another colour has begun by then.
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    const ends = document.getAnimations().filter(({ effect }) => effect?.getTiming().iterations !== Infinity);
    await Promise.all(ends.map(({ finished }) => finished.catch(() => {})));
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  });
}

/** Everything somebody comes to see. @returns {Screen[]} */
function screensOf(/** @type {Awaited<ReturnType<typeof populate>>} */ { ana, ben, climbers, reads, seats }) {
  const pair = [ana.id, ben.id].sort((a, b) => Number(a) - Number(b)).join("+");
  const group = `#/groups/${climbers.id}`;
  const members = `${group}/members`;
  const at = (/** @type {string} */ hash, /** @type {Screen[]} */ ...screens) =>
    screens.map((screen) => ({ ...screen, hash }));
  const panel = (/** @type {Page} */ page) => page.locator(".panel-body").waitFor();
  /** @type {Screen[]} */
  const all = [
    ...at("#/", { name: "home" }, window("new-group", "New group"), window("new-message", "New message")),
    ...at("#/", window("left-groups", "Groups you left"), window("your-picture", "Your picture")),
    ...at("#/", window("go-to", "Go to (Ctrl K)"), {
      name: "window-shortcuts",
      async opens(page) {
        await page.locator(".groups a").first().focus();
        await page.keyboard.press("?");
        await page.locator(".dialog h2").waitFor();
      },
    }),
    ...at(group, { name: "group" }),
    ...at(`${group}/messages/${seats.id}`, { name: "message-link" }),
    ...at(
      group,
      window("pinned", "Pinned messages", ".panel h2"),
      window("gallery", "Gallery", ".panel h2"),
      window("polls", "Polls", ".panel h2"),
    ),
    ...at(group, window("events", "Events", ".panel h2"), window("notices", "Notifications", ".panel h2")),
    ...at(group, window("emoji", "Add an emoji", ".emoji-tab"), ofLine("react", "Count me in", "React")),
    ...at(group, ofLine("edit", "Count me in", "Edit"), ofLine("delete", "Count me in", "Delete")),
    ...at(
      group,
      ofLine("about", "three seats", "About this message"),
      ofLine("link", "Count me in", "Copy link"),
    ),
    ...at(group, {
      name: "acts-of-a-line",
      opens: (page) => page.locator(".line", { hasText: "Count me in" }).last().hover(),
    }),
    ...at(group, {
      name: "replying",
      async opens(page) {
        const line = page.locator(".line", { hasText: "One for me" }).last();
        await line.hover();
        await line.getByRole("button", { name: "Reply" }).click();
        await page.getByRole("textbox", { name: /^Message to/ }).fill("Yes!\nSee you at six\n".repeat(2));
      },
      async ends(page) {
        await page.getByRole("textbox", { name: /^Message to/ }).fill("");
        await press("Do not reply")(page);
      },
    }),
    ...at(members, { name: "members", opens: panel }),
    ...at(members, window("add-someone", "Add someone"), window("settings", "Name and description")),
    ...at(members, window("your-name", "Your name here"), window("most-liked", "Most liked")),
    ...at(members, {
      name: "window-person",
      async opens(page) {
        await page.locator(".panel").getByRole("button", { name: "Ben Okonkwo", exact: true }).click();
        await page.locator(".dialog h2").waitFor();
      },
    }),
    ...at(`#/chats/${pair}`, { name: "chat" }),
    ...at("#/groups/999999", { name: "state-gone" }),
    ...at("#/account", {
      name: "account",
      opens: (page) => page.locator(".account-page").waitFor(),
    }),
    ...at("#/account", {
      name: "account-end",
      async opens(page) {
        await page.locator(".account-page").waitFor();
        await page.locator(".account-page").evaluate((node) => node.lastElementChild?.scrollIntoView());
      },
    }),
    ...at("#/account/bots", { name: "bots" }),
    ...at("#/account/applications", { name: "applications" }),
    ...at(`${group}/bots`, { name: "bots-of-a-group" }),
    {
      name: "state-loading",
      async opens(page) {
        await page.route(/\/v3\/sync/, () => {});
        await reload(page, group);
        await page.locator(".groups-waiting").waitFor({ state: "attached" });
      },
      ends: (page) => page.unroute(/\/v3\/sync/),
    },
    {
      name: "state-offline",
      async opens(page) {
        await reload(page, group);
        await isConnected(page);
        await server.isKilled();
        await page.getByText("Offline. Reconnecting…").first().waitFor({ state: "attached" });
        await page.getByRole("textbox", { name: /^Message to/ }).fill("Written without a line");
        await page.keyboard.press("Enter");
        await page.getByText("Waiting. It will be sent").waitFor();
      },
      async ends(page) {
        await page.getByRole("button", { name: "Delete", exact: true }).last().click();
        await server.starts();
      },
    },
    {
      name: "state-no-older",
      async opens(page) {
        await page.route(/before_id/, (route) => route.abort());
        await reload(page, `#/groups/${reads.id}`);
        await isConnected(page);
        const top = page.getByText("Older messages could not be loaded");
        while (!(await top.count())) {
          await page.locator(".timeline").evaluate((node) => node.scrollTo(0, 0));
          await rests(page);
        }
      },
      ends: (page) => page.unroute(/before_id/),
    },
    {
      name: "state-part-missing",
      async opens(page) {
        await reload(page, group);
        await isConnected(page);
        await page.route(/\/assets\//, (route) => route.abort());
        await press("Polls")(page);
        await page.getByText("This part of the page could not be loaded").waitFor();
      },
      ends: (page) => page.unroute(/\/assets\//),
    },
    {
      name: "docs",
      async opens(page) {
        await page.goto(`${server.url}/docs`);
        // The metrics of the running server.
        await page.locator(".operation").first().waitFor();
      },
    },
    { name: "docs-nowhere", opens: (page) => page.goto(`${server.url}/nothing/is/here`) },
  ];
  return all.filter(isWanted);
}

/** Pictures of what is open, in both colours. */
async function takes(/** @type {Page} */ page, /** @type {string} */ name) {
  for (const scheme of /** @type {const} */ (["light", "dark"])) {
    await page.emulateMedia({ colorScheme: scheme });
    await rests(page);
    await page.screenshot({ path: `${FOLDER}${name}-${scheme}.png` });
  }
}

/** Opens a place in a page that has just come. */
async function reload(/** @type {Page} */ page, /** @type {string} */ hash) {
  await page.goto("about:blank");
  await page.goto(`${server.url}/${hash}`);
}

async function visits(/** @type {Page} */ page, /** @type {string} */ hash) {
  await page.goto(`${server.url}/${hash}`);
  await isConnected(page);
}

/** One screen after the other, as somebody who is signed in sees it. */
async function signedIn(
  /** @type {Page} */ page,
  /** @type {string} */ size,
  /** @type {Screen[]} */ screens,
) {
  for (const { name, hash, opens, ends } of screens) {
    try {
      if (hash !== undefined) await visits(page, hash);
      await opens?.(page);
      await takes(page, `${size}-${name}`);
      await ends?.(page);
    } catch (error) {
      // The others are still worth looking at.
      console.error(`${size}-${name}: ${error instanceof Error ? error.message.split("\n")[0] : error}`);
      process.exitCode = 1;
    }
    if (await page.locator("dialog[open]").count()) await page.keyboard.press("Escape");
  }
}

/** What somebody sees who has no account yet. */
async function signedOut(/** @type {Page} */ page, /** @type {string} */ size) {
  await page.goto(server.url);
  await page.getByRole("heading", { name: "Log in" }).waitFor();
  await takes(page, `${size}-sign-in`);
  await press("Create an account")(page);
  await press("Create account")(page);
  await takes(page, `${size}-sign-up-problems`);
  const fresh = { "Your name": "Nova", Email: `nova-${size}@example.org`, Password: "rope and chalk" };
  for (const [label, text] of Object.entries(fresh)) {
    await page.getByLabel(label, { exact: true }).fill(text);
  }
  await press("Create account")(page);
  await page.getByText("No conversations yet.").waitFor();
  await takes(page, `${size}-state-empty`);
}

try {
  await mkdir(FOLDER, { recursive: true });
  const inhabited = await populate(world);
  const screens = screensOf(inhabited);
  for (const { name: size, ...viewport } of WIDTHS) {
    // Without a worker, what is held back here is held back.
    const how = /** @type {const} */ ({
      locale: "en-GB",
      timezoneId: "Europe/Lisbon",
      serviceWorkers: "block",
    });
    if (beginnings.length === 0) {
      const context = await world.browser.newContext({ ...how, viewport });
      await signedOut(await context.newPage(), size);
      await context.close();
    }
    const context = await world.browser.newContext({ ...how, viewport });
    context.setDefaultTimeout(15_000);
    const page = await context.newPage();
    await page.goto(server.url);
    await page.evaluate((token) => localStorage.setItem("coterie.token", token), inhabited.ana.token);
    await page.reload();
    await isConnected(page);
    await signedIn(page, size, screens);
    await page.evaluate(() => localStorage.setItem("coterie.look", '{"language":"ar"}'));
    await page.reload();
    // What is opened by the words of a button is seen in English only.
    const turned = screens.filter(({ hash, opens }) => hash !== undefined && !opens);
    await signedIn(page, `${size}-arabic`, turned);
    await context.close();
  }
} finally {
  await world.browser.close();
  await server.end();
}
