/**
 * Seats: browser contexts with one page each, in which one person after another sits.
 *
 * Starting a context and the process of its page took a third of a test's work. Nobody finds
 * anything of who sat there before: every server has a port of its own, so every test has an
 * origin of its own, whose data and cookies are removed when it ends. A seat that a test changed
 * in another way (a route, a script, a size, a second page) is thrown away.
 */

/** What is left of these calls would reach the next person. */
const CHANGES = /** @type {const} */ ({
  context: [
    "addInitScript",
    "exposeBinding",
    "exposeFunction",
    "grantPermissions",
    "newCDPSession",
    "newPage",
    "on",
    "once",
    "route",
    "routeWebSocket",
    "setExtraHTTPHeaders",
    "setGeolocation",
    "setOffline",
  ],
  page: [
    "addInitScript",
    "close",
    "emulateMedia",
    "exposeBinding",
    "exposeFunction",
    "on",
    "once",
    "route",
    "routeWebSocket",
    "setExtraHTTPHeaders",
    "setViewportSize",
  ],
});

/** What the browser itself writes when an answer is no success or a server is away. */
const BROWSER_NOTES = [
  /^Failed to load resource/,
  /^WebSocket connection to/,
  /^An unknown error occurred when fetching the script/,
];

/** Addresses that no other host answers; the last two are those of the browser's own viewer of PDF files. */
const OWN = new Set(["data:", "about:", "chrome:", "chrome-extension:"]);

/** @typedef {import("playwright-core").Browser} Browser */

export class Seat {
  /** Who hears of what goes wrong on the page. @type {((trouble: string) => void) | null} */
  hears = null;
  /** Whether the page may ask this host. */
  trusts = (/** @type {string} */ _host) => false;
  /** The first address that the next person comes to. */
  origin = "";
  #changed = false;
  /** A session with the browser, which is no change. */
  #newDevtools;

  constructor(
    /** @type {import("playwright-core").BrowserContext} */ context,
    /** @type {import("playwright-core").Page} */ page,
    /** @type {string} */ kind,
  ) {
    this.context = context;
    this.page = page;
    this.kind = kind;
    this.#newDevtools = context.newCDPSession.bind(context, page);
    this.#watches();
    this.#noticesChanges(context, CHANGES.context);
    this.#noticesChanges(page, CHANGES.page);
    const clock = page.clock;
    Object.defineProperty(page, "clock", {
      get: () => {
        this.#changed = true;
        return clock;
      },
    });
  }

  /** Whether the next person finds the seat as if it were new. */
  get isAsNew() {
    return !this.#changed && this.context.pages().length === 1 && !this.page.isClosed();
  }

  /** Removes what the last person left. */
  async isCleared() {
    const { context, page, origin } = this;
    this.hears = null;
    await page.goto("about:blank");
    await context.clearCookies();
    const devtools = await this.#newDevtools();
    await devtools.send("Storage.clearDataForOrigin", { origin, storageTypes: "all" });
    await devtools.detach();
  }

  /** Ends it. Answers that a test still holds back have no page to go to. */
  async isThrownAway() {
    this.hears = null;
    const stop = { behavior: /** @type {const} */ ("ignoreErrors") };
    await Promise.all([this.context, ...this.context.pages()].map((held) => held.unrouteAll(stop)));
    await this.context.close();
  }

  /** Notes from now on that a method was called. */
  #noticesChanges(/** @type {any} */ target, /** @type {readonly string[]} */ methods) {
    for (const method of methods) {
      const original = target[method];
      target[method] = (/** @type {unknown[]} */ ...given) => {
        this.#changed = true;
        return original.apply(target, given);
      };
    }
  }

  #watches() {
    const { page } = this;
    page.on("pageerror", (error) => this.hears?.(error.stack || `${error.name}: ${error.message}`));
    page.on("console", (message) => {
      const bad = message.type() === "error" || message.type() === "warning";
      const noted = BROWSER_NOTES.some((note) => note.test(message.text()));
      const { url, lineNumber } = message.location();
      if (bad && !noted) this.hears?.(`${message.text()} (${message.type()} at ${url}:${lineNumber})`);
    });
    page.on("request", (request) => {
      const url = new URL(request.url());
      if (!OWN.has(url.protocol) && !this.trusts(url.host)) this.hears?.(`asked ${url}`);
    });
    page.on("websocket", (socket) => {
      if (!this.trusts(new URL(socket.url()).host)) this.hears?.(`connected to ${socket.url()}`);
    });
  }
}

/** The seats of one browser that nobody sits in. */
export class Seats {
  /** @type {Seat[]} */
  #free = [];
  #isCleared;

  /** A browser without the protocol of Chromium cannot clear seats, so each is used once. */
  constructor({ isCleared = true } = {}) {
    this.#isCleared = isCleared;
  }

  /** A seat of this kind, as new. */
  async take(
    /** @type {Browser} */ browser,
    /** @type {import("playwright-core").BrowserContextOptions} */ options,
    /** @type {(context: import("playwright-core").BrowserContext) => Promise<void>} */ prepare,
  ) {
    const kind = JSON.stringify(options);
    const at = this.#free.findIndex((seat) => seat.kind === kind);
    if (at >= 0) return this.#free.splice(at, 1)[0];
    const context = await browser.newContext(options);
    await prepare(context);
    return new Seat(context, await context.newPage(), kind);
  }

  /** Takes a seat back after a test, or throws it away. */
  async giveBack(/** @type {Seat} */ seat) {
    if (!this.#isCleared || !seat.isAsNew) return seat.isThrownAway();
    await seat.isCleared();
    this.#free.push(seat);
  }
}
