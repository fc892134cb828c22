/**
 * Pictures of every screen, window and state, in light and dark and at several widths, to be
 * looked at: `npm run screens`. They lie in `pictures/screens/`, which is not kept.
 *
 * Words after it choose: a width (`npm run screens -- narrow`), or what a screen's name begins
 * with (`npm run screens -- laptop window`).
 */

import { mkdir } from "node:fs/promises";
import { chromium } from "playwright-core";
import { becomes } from "./eventually.js";
import { Issuer } from "./issuer.js";
import { MailServer } from "./mail_server.js";
import {
  accountScreens,
  moderated,
  operatorsScreens,
  ownersScreens,
  SAMPLED,
  visitorsScreens,
} from "./screens_more.js";
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

/** What is ended last. @type {(() => unknown)[]} */
const ends = [];
const until = /** @type {any} */ ({ after: (/** @type {() => unknown} */ end) => ends.push(end) });
const issuer = await Issuer.start(until);
const mails = await MailServer.start(until);
const server = await Server.start(["--rate-limit", "off", ...issuer.options(), ...mails.options]);
const world = new World(server, await chromium.launch(BROWSER));
/** Passkeys need an address with a name. */
const address = server.url.replace("127.0.0.1", "localhost");

/** In whatever language. */
const isConnected = (/** @type {Page} */ page) =>
  page.locator('.side [data-state="live"]').waitFor({ state: "attached" });

/** A button, wherever it stands; the first of that name. */
const press = (/** @type {string} */ name) => async (/** @type {Page} */ page) => {
  const button = page.getByRole("button", { name, exact: true }).filter({ visible: true }).first();
  const more = page.getByRole("button", { name: "More", exact: true }).filter({ visible: true });
  const isInMenu = TOOLS.includes(name) && !(await button.isVisible()) && (await more.isVisible());
  if (!isInMenu) return button.click();
  await more.click();
  await page.getByRole("menuitem", { name, exact: true }).click();
};

/** The tools of a conversation, which a menu has where they do not fit. */
const TOOLS = ["Pinned messages", "Gallery", "Polls", "Events", "Notifications"];

/** Nothing that is shown is still on its way. */
const isLoaded = (/** @type {Page} */ page) =>
  becomes(() => page.getByText("Loading…").filter({ visible: true }).count(), 0);

/** A window that a button opens, with what says that it is whole. */
const window = (/** @type {string} */ name, /** @type {string} */ button, whole = ".dialog h2") => ({
  name: `window-${name}`,
  async opens(/** @type {Page} */ page) {
    await press(button)(page);
    await page.locator(whole).first().waitFor();
    // What it asks of the server first.
    await isLoaded(page);
    const first = page.locator(".dialog .gallery-picture img").first();
    if (await first.count()) await first.evaluate((/** @type {HTMLImageElement} */ image) => image.decode());
  },
});

/** An act of a line that somebody points at. */
const ofLine = (/** @type {string} */ name, /** @type {string} */ text, /** @type {string} */ button) => ({
  name: `window-${name}`,
  async opens(/** @type {Page} */ page) {
    const line = page.locator(".line", { hasText: text }).last();
    await pointsAt(page, line);
    const isInBar = (await line.getByRole("button", { name: button, exact: true }).count()) > 0;
    await line.getByRole("button", { name: isInBar ? button : "More actions", exact: true }).click();
    if (!isInBar) await page.getByRole("menuitem", { name: button, exact: true }).click();
    await page.locator(".dialog h2").waitFor();
    await isLoaded(page);
  },
});

/** What is drawn once everything that moves has come to rest. */
async function rests(/** @type {Page} */ page) {
  await becomes(() => page.locator(".card-waiting").count(), 0);
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

/**
 * Points at a line, whose buttons are there as long as the mouse is over it: lines that move when a card or a picture
 * arrives would leave the mouse behind, and the click would wait for ever.
 */
async function pointsAt(/** @type {Page} */ page, /** @type {import("playwright-core").Locator} */ line) {
  await line.scrollIntoViewIfNeeded();
  await rests(page);
  await line.hover();
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
    ...at(
      "#/",
      window("left-groups", "Groups you left"),
      window("folders", "Folders"),
      window("your-picture", "Your picture"),
    ),
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
      opens: (page) => pointsAt(page, page.locator(".line", { hasText: "Count me in" }).last()),
    }),
    ...at(group, {
      name: "replying",
      async opens(page) {
        const line = page.locator(".line", { hasText: "One for me" }).last();
        await pointsAt(page, line);
        await line.getByRole("button", { name: "Reply", exact: true }).click();
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
        await page.evaluate((place) => {
          location.hash = place;
        }, `${group}/polls`);
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
  await page.goto(`${address}/${hash}`);
}

async function visits(/** @type {Page} */ page, /** @type {string} */ hash) {
  await page.goto(`${address}/${hash}`);
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
    } catch (error) {
      // The others are still worth looking at.
      console.error(`${size}-${name}: ${error instanceof Error ? error.message.split("\n")[0] : error}`);
      process.exitCode = 1;
    }
    await ends?.(page).catch(() => {});
    if (await page.locator("dialog[open]").count()) await page.keyboard.press("Escape");
  }
}

/** What somebody sees who has no account yet. */
async function signedOut(/** @type {Page} */ page, /** @type {string} */ size) {
  await page.goto(address);
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

/** Without a worker, what is held back here is held back. */
const HOW = /** @type {const} */ ({
  locale: "en-GB",
  timezoneId: "Europe/Lisbon",
  serviceWorkers: "block",
});

/** A page of somebody who is signed in. */
async function pageOf(
  /** @type {string} */ token,
  /** @type {{ width: number, height: number }} */ viewport,
) {
  const context = await world.browser.newContext({ ...HOW, viewport });
  context.setDefaultTimeout(15_000);
  const page = await context.newPage();
  await page.goto(address);
  await page.evaluate((kept) => localStorage.setItem("coterie.token", kept), token);
  await page.reload();
  await isConnected(page);
  return page;
}

/** The same screens in another language, which begins with a new page. */
async function inLanguage(
  /** @type {Page} */ page,
  /** @type {string} */ size,
  /** @type {string} */ language,
  /** @type {Screen[]} */ screens,
) {
  await page.evaluate(
    (value) => localStorage.setItem("coterie.look", JSON.stringify({ language: value })),
    language,
  );
  await reload(page, "#/");
  await signedIn(page, `${size}-${language}`, screens);
}

/** The setup of a server without an account. */
async function newServer(
  /** @type {string} */ size,
  /** @type {{ width: number, height: number }} */ viewport,
) {
  const empty = await Server.start();
  const context = await world.browser.newContext({ ...HOW, viewport });
  try {
    const page = await context.newPage();
    await page.goto(empty.url);
    await page.getByRole("heading", { name: "Set up this server" }).waitFor();
    await takes(page, `${size}-setup`);
    const facts = { "Your name": "Ana", Email: "ana@example.org", Password: "rope and chalk" };
    for (const [label, text] of Object.entries(facts))
      await page.getByLabel(label, { exact: true }).fill(text);
    await press("Create account")(page);
    await page.getByLabel("First group (optional)").fill("Climbers");
    await takes(page, `${size}-setup-place`);
    await press("Save")(page);
    await page.getByText(/Send this link/).waitFor();
    await takes(page, `${size}-setup-link`);
  } finally {
    await context.close();
    await empty.end();
  }
}

/** Everything at one width. */
async function at(
  /** @type {string} */ size,
  /** @type {{ width: number, height: number }} */ viewport,
  /** @type {Awaited<ReturnType<typeof populate>>} */ inhabited,
  /** @type {{ id: string, name: string }} */ club,
) {
  if (beginnings.length === 0) {
    const context = await world.browser.newContext({ ...HOW, viewport });
    await signedOut(await context.newPage(), size);
    await context.close();
    await newServer(size, viewport);
  }
  const visitors = visitorsScreens().filter(isWanted);
  if (visitors.length > 0) {
    const context = await world.browser.newContext({ ...HOW, viewport });
    context.setDefaultTimeout(15_000);
    const page = await context.newPage();
    for (const { name, hash, opens } of visitors) {
      await reload(page, String(hash));
      await opens?.(page);
      await takes(page, `${size}-${name}`);
    }
    await context.close();
  }
  const page = await pageOf(inhabited.ana.token, viewport);
  const more = [...ownersScreens(club, inhabited.quiet), ...accountScreens()].filter(isWanted);
  const screens = screensOf(inhabited);
  await signedIn(page, size, [...screens, ...more]);
  // What is opened by the words of a button is seen in English only.
  await inLanguage(page, size, "ar", [...screens, ...more].filter(isTurned));
  const samples = screens.filter(({ name }) => ["group", "account"].includes(name) || name === "bots");
  for (const language of SAMPLED) await inLanguage(page, size, language, samples.filter(isTurned));
  await page.context().close();
  const operators = operatorsScreens().filter(isWanted);
  if (operators.length > 0) {
    const body = { email: "op@example.org", password: "correct horse battery" };
    const { access_token: token } = await server.call("POST", "/auth/login", { body });
    const operator = await pageOf(token, viewport);
    await signedIn(operator, size, operators);
    await operator.context().close();
  }
}

/** Whether a screen needs no words of a button. */
const isTurned = (/** @type {Screen} */ { name, hash, opens }) =>
  hash !== undefined && (!opens || name === "account" || name.startsWith("state-empty"));

try {
  await mkdir(FOLDER, { recursive: true });
  await world.hasAnAdmin();
  const inhabited = await populate(world);
  const club = await moderated(inhabited);
  for (const { name, ...viewport } of WIDTHS) await at(name, viewport, inhabited, club);
} finally {
  await world.browser.close();
  await server.end();
  for (const end of ends) end();
}
