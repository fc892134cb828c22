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
import { Seats } from "./seats.js";
import { Server } from "./server.js";
import { slows } from "./slow.js";

/** For one step of a person; only a broken client ever waits this long. */
export const PATIENCE_MS = Number(process.env.PATIENCE_MS ?? 240_000);

export const BROWSER = {
  executablePath: process.env.CHROMIUM_BIN ?? "/usr/bin/chromium",
  timeout: PATIENCE_MS,
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
  seats: new Seats(),

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
      this.seats = new Seats();
      await (await unused)?.close();
    }, IDLE_MS);
  },
};

const COMPUTER = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };

export class World {
  /** Whatever went wrong in any page. @type {string[]} */
  #troubles = [];
  #people = 0;
  /** Other hosts that pages may be led to. @type {Set<string>} */
  #friends = new Set();
  /** @type {import("./seats.js").Seat[]} */
  #seats = [];

  constructor(
    /** @type {Server} */ server,
    /** @type {import("playwright-core").Browser} */ browser,
    seats = shared.seats,
  ) {
    this.server = server;
    this.browser = browser;
    this.seats = seats;
  }

  /** Starts everything, and ends it together with the test. */
  static async start(/** @type {import("node:test").TestContext} */ t, /** @type {string[]} */ options = []) {
    const world = await World.startEmpty(t, options);
    // An empty server leads every visitor to its setup.
    await world.hasAnAdmin();
    return world;
  }

  /** Starts a server without any account. */
  static async startEmpty(
    /** @type {import("node:test").TestContext} */ t,
    /** @type {string[]} */ options = [],
  ) {
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

  /** Makes the account of an operator whom no test meets. */
  async hasAnAdmin() {
    const facts = { name: "Op", email: "op@example.org", password: "correct horse battery" };
    const send = (/** @type {string} */ path) =>
      fetch(this.server.url + path, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(facts),
      });
    // A server for others asks for its code, and one that is closed takes no registration.
    const answer = await send("/auth/setup");
    if (!answer.ok) await send("/auth/register");
  }

  async end() {
    await Promise.all(this.#seats.map((seat) => this.seats.giveBack(seat)));
    assert.deepEqual(this.#troubles, [], "no page logs an error or asks another host");
  }

  /** Pages may be led to this host too. */
  trusts(/** @type {string} */ host) {
    this.#friends.add(host);
  }

  /** Someone without an account, in front of the sign-in page, by this address of the place. */
  async visitor(
    /** @type {string} */ name,
    { phone = false, scripts = true, locale = "en-GB", address = this.server.url, path = "/" } = {},
  ) {
    this.#people += 1;
    const options = {
      viewport: phone ? PHONE : COMPUTER,
      hasTouch: phone,
      isMobile: phone,
      javaScriptEnabled: scripts,
      locale,
      timezoneId: "Europe/Lisbon",
    };
    const seat = await this.seats.take(this.browser, options, async (context) => {
      context.setDefaultTimeout(PATIENCE_MS);
      await slows(context);
    });
    this.#seats.push(seat);
    seat.origin = new URL(address).origin;
    seat.trusts = (host) => host === new URL(this.server.url).host || this.#friends.has(host);
    seat.hears = (trouble) => this.#troubles.push(`${name}: ${trouble}`);
    const { page } = seat;
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

  /** The first admin of a server without accounts, signed in. */
  async admin(/** @type {string} */ called, /** @type {{ phone?: boolean }} */ how = {}) {
    const person = await this.visitor(called, { ...how, path: "/health/live" });
    const { name, email, password } = person;
    const made = await this.server.call("POST", "/auth/setup", { body: { name, email, password } });
    person.id = made.user.id;
    person.token = made.access_token;
    await person.isSignedIn();
    return person;
  }

  /** @returns {Promise<Person[]>} */
  people(/** @type {string[]} */ ...names) {
    return Promise.all(names.map((name) => this.person(name)));
  }
}
