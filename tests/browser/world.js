/**
 * A small world for tests: one server, one browser, and people who use both.
 *
 * Owns starting and ending all of it, and two promises that hold in every test: no
 * page logs an error, and no page asks another host for anything. Tests read as
 * sentences: `await ben.sees("rope at six")`. All waiting is for something to happen.
 */

import assert from "node:assert/strict";
import { chromium } from "playwright-core";
import { Person } from "./person.js";
import { Server } from "./server.js";
import { slows } from "./slow.js";

/** For one step of a person; only a broken client ever waits this long. */
export const PATIENCE_MS = Number(process.env.PATIENCE_MS ?? 120_000);

export const BROWSER = {
  executablePath: process.env.CHROMIUM_BIN ?? "/usr/bin/chromium",
  args: [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
    // A microphone that beeps, and that people let pages use.
    "--use-fake-device-for-media-stream",
    "--use-fake-ui-for-media-stream",
  ],
};

/** How long a browser that nobody uses stays: between two tests of a file there is less. */
const IDLE_MS = 2_000;

/**
 * The browser of this process. People have contexts of their own in it, which share nothing, and
 * starting one for each test took a third of a test's work.
 */
const shared = {
  /** @type {Promise<import("playwright-core").Browser> | null} */
  running: null,
  worlds: 0,

  /** For one world, until it is given back. */
  borrow() {
    this.worlds += 1;
    this.running ??= chromium.launch(BROWSER);
    return this.running;
  },

  giveBack() {
    this.worlds -= 1;
    setTimeout(async () => {
      if (this.worlds > 0) return;
      const unused = this.running;
      this.running = null;
      await (await unused)?.close();
    }, IDLE_MS);
  },
};

/** What the browser itself writes when an answer is no success or a server is away. */
const BROWSER_NOTES = [
  /^Failed to load resource/,
  /^WebSocket connection to/,
  /^An unknown error occurred when fetching the script/,
];

const COMPUTER = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };

export class World {
  /** Whatever went wrong in any page. @type {string[]} */
  #troubles = [];
  #people = 0;
  /** Other hosts that pages may be led to. @type {Set<string>} */
  #friends = new Set();
  /** @type {import("playwright-core").BrowserContext[]} */
  #contexts = [];

  constructor(/** @type {Server} */ server, /** @type {import("playwright-core").Browser} */ browser) {
    this.server = server;
    this.browser = browser;
  }

  /** Starts everything, and ends it together with the test. */
  static async start(/** @type {import("node:test").TestContext} */ t, /** @type {string[]} */ options = []) {
    const server = await Server.start(options);
    t.after(() => server.end());
    return World.before(t, server);
  }

  /** A browser in front of a server that runs already, which ends together with the test. */
  static async before(/** @type {import("node:test").TestContext} */ t, /** @type {Server} */ server) {
    const world = new World(server, await shared.borrow());
    t.after(() => world.end().finally(() => shared.giveBack()));
    return world;
  }

  /** Ana and Ben in front of a world of their own, and her group "Climbers" that he is in too. */
  static async climbing(/** @type {import("node:test").TestContext} */ t) {
    const world = await World.start(t);
    const [ana, ben] = await world.people("Ana", "Ben");
    return { world, ana, ben, climbers: await ana.hasGroup("Climbers", ben) };
  }

  async end() {
    // Answers that a test still holds back have no page to go to; their handlers would fail.
    const stop = { behavior: /** @type {const} */ ("ignoreErrors") };
    for (const context of this.#contexts)
      await Promise.all([context, ...context.pages()].map((held) => held.unrouteAll(stop)));
    await Promise.all(this.#contexts.map((context) => context.close()));
    assert.deepEqual(this.#troubles, [], "no page logs an error or asks another host");
  }

  /** Pages may be led to this host too. */
  trusts(/** @type {string} */ host) {
    this.#friends.add(host);
  }

  /** Someone without an account, in front of the sign-in page, by this address of the place. */
  async visitor(
    /** @type {string} */ name,
    { phone = false, scripts = true, address = this.server.url, path = "/" } = {},
  ) {
    this.#people += 1;
    const context = await this.browser.newContext({
      viewport: phone ? PHONE : COMPUTER,
      hasTouch: phone,
      isMobile: phone,
      javaScriptEnabled: scripts,
      locale: "en-GB",
      timezoneId: "Europe/Lisbon",
    });
    this.#contexts.push(context);
    context.setDefaultTimeout(PATIENCE_MS);
    await slows(context);
    const page = await context.newPage();
    this.#watch(page, name);
    const email = `${name.toLowerCase()}-${this.#people}@example.org`;
    const person = new Person(this, page, { name, email });
    this.trusts(new URL(address).host);
    await person.visits(path, address);
    return person;
  }

  /** Someone with an account, signed in. */
  async person(/** @type {string} */ name, /** @type {{ phone?: boolean, address?: string }} */ how = {}) {
    // A page of the place that is none of the client, so that the client is opened once.
    const person = await this.visitor(name, { ...how, path: "/health/live" });
    await person.hasAnAccount();
    await person.isSignedIn();
    return person;
  }

  /** @returns {Promise<Person[]>} */
  people(/** @type {string[]} */ ...names) {
    return Promise.all(names.map((name) => this.person(name)));
  }

  #watch(/** @type {import("playwright-core").Page} */ page, /** @type {string} */ name) {
    page.on("pageerror", (error) => this.#troubles.push(`${name}: ${error.stack}`));
    page.on("console", (message) => {
      const bad = message.type() === "error" || message.type() === "warning";
      const noted = BROWSER_NOTES.some((note) => note.test(message.text()));
      if (bad && !noted) this.#troubles.push(`${name}: ${message.text()}`);
    });
    const isKnown = (/** @type {URL} */ { host }) =>
      host === new URL(this.server.url).host || this.#friends.has(host);
    page.on("request", (request) => {
      const url = new URL(request.url());
      if (!isKnown(url) && url.protocol !== "data:") this.#troubles.push(`${name} asked ${url}`);
    });
    page.on("websocket", (socket) => {
      if (!isKnown(new URL(socket.url()))) this.#troubles.push(`${name} connected to ${socket.url()}`);
    });
  }
}
