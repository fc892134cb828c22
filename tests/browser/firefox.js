/**
 * Debian's Firefox, driven by WebDriver BiDi.
 *
 * Its own release of Playwright drives it (`playwright-firefox` is `playwright-core` 1.64): later ones send a
 * command that Firefox ESR does not know yet. Nothing is downloaded.
 *
 * Firefox has no command that makes a page believe in a touch screen, and this Playwright none that taps. So
 * preferences say that there is a touch screen, and `FirefoxFingers` sends the pointer actions of BiDi itself.
 */

import assert from "node:assert/strict";
import { firefox } from "playwright-firefox";
import { Fingers, Keys, Mouse } from "./hands.js";
import { Seats } from "./seats.js";
import { Server } from "./server.js";
import { PATIENCE_MS, World } from "./world.js";

/** @typedef {import("playwright-core").Locator} Locator */
/** @typedef {import("./hands.js").Place} Place */

const FIREFOX = {
  timeout: PATIENCE_MS,
  channel: "moz-firefox",
  executablePath: process.env.FIREFOX_BIN ?? "/usr/bin/firefox-esr",
  firefoxUserPrefs: {
    // A microphone that hums, and that people let pages use.
    "media.navigator.streams.fake": true,
    "media.navigator.permission.disabled": true,
    // Reports home and updates are no part of a test.
    "app.normandy.enabled": false,
    "datareporting.policy.dataSubmissionEnabled": false,
    "extensions.update.enabled": false,
  },
};

/** How often a finger tries to touch an element that moves. */
const TRIES_MOST = 100;

/** What Firefox says on a computer whose only pointer is a finger. */
const TOUCH_SCREEN = {
  "dom.w3c_touch_events.enabled": 1,
  "dom.maxtouchpoints.testing.value": 5,
  // A coarse pointer that cannot hover.
  "ui.primaryPointerCapabilities": 1,
  "ui.allPointerCapabilities": 1,
};

/** A server and Firefox in front of it, which end together with the test. */
export async function startInFirefox(
  /** @type {import("node:test").TestContext} */ t,
  /** @type {string[]} */ options,
  prefs = {},
) {
  const server = await Server.start(options);
  const browser = await firefox.launch({
    ...FIREFOX,
    firefoxUserPrefs: { ...FIREFOX.firefoxUserPrefs, ...prefs },
  });
  const world = new World(server, /** @type {any} */ (browser), new Seats({ isCleared: false }));
  t.after(async () => {
    await world.end().finally(() => browser.close());
    await server.end();
  });
  await world.hasAnAdmin();
  return world;
}

/** The same, with a touch screen. */
export const startByTouchInFirefox = (
  /** @type {import("node:test").TestContext} */ t,
  /** @type {string[]} */ options,
) => startInFirefox(t, options, TOUCH_SCREEN);

/** Selects files in what a button opens: Firefox's driver hears of the first such window of a page only. */
async function choose(/** @type {Locator} */ button, /** @type {any[]} */ files) {
  await button.waitFor();
  const form = button.page().locator("form").filter({ has: button });
  await form.locator("input[type=file]").setInputFiles(files);
}

/** Works with a mouse in Firefox. */
export class FirefoxMouse extends Mouse {
  /** @override */
  async chooses(/** @type {Locator} */ button, /** @type {any[]} */ ...files) {
    await choose(button, files);
  }
}

/** Works with the keyboard alone in Firefox. */
export class FirefoxKeys extends Keys {
  /** @override */
  async chooses(/** @type {Locator} */ button, /** @type {any[]} */ ...files) {
    await this.reaches(button);
    await choose(button, files);
  }
}

/** Works with fingers in Firefox: pointer actions of the type `touch`. */
export class FirefoxFingers extends Fingers {
  /** @override */
  async chooses(/** @type {Locator} */ button, /** @type {any[]} */ ...files) {
    await choose(button, files);
  }

  /** A finger that came down beside the element, since the page moved meanwhile, comes down again. @override */
  async press(/** @type {Locator} */ node) {
    for (let tries = 0; tries < TRIES_MOST; tries += 1) if (await this.#touches(node)) return;
    assert.fail("the finger never comes down on the element");
  }

  /** Touches an element once. Returns whether the finger came down on it. */
  async #touches(/** @type {Locator} */ node) {
    await node.waitFor();
    const handle = await node.elementHandle();
    const at = await handle?.evaluate(placeToTap);
    // An element that the page drew again is looked for again.
    if (!handle || !at) return false;
    await handle.evaluate(notesTouch);
    await this.#performs([
      { type: "pointerMove", ...at },
      { type: "pointerDown", button: 0 },
      { type: "pointerUp", button: 0 },
    ]);
    // A page that is gone was left by the touch.
    return handle.evaluate(wasTouched).catch(() => true);
  }

  /** @override */
  async getsReady() {}

  /** @override */
  async comesDown(/** @type {Place} */ at) {
    await this.#performs([
      { type: "pointerMove", ...at },
      { type: "pointerDown", button: 0 },
    ]);
  }

  /** @override */
  async goesUp() {
    await this.#performs([{ type: "pointerUp", button: 0 }]);
  }

  /** Sends actions of one finger by the page's own session, which Playwright keeps for itself. */
  async #performs(/** @type {Record<string, unknown>[]} */ actions) {
    const page = /** @type {any} */ (this.page);
    const session = page._connection.toImpl(page).delegate._session;
    await session.send("input.performActions", {
      context: session.sessionId,
      actions: [{ type: "pointer", id: "finger", parameters: { pointerType: "touch" }, actions }],
    });
  }
}

/**
 * Waits until an element is in view, rests, is enabled and is covered by nothing; a finger comes down in its middle.
 * Null if the page has it no more.
 */
async function placeToTap(/** @type {any} */ node) {
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const placed = () => {
    const { x, y, width, height } = node.getBoundingClientRect();
    return { x: Math.round(x + width / 2), y: Math.round(y + height / 2) };
  };
  node.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
  for (let before = placed(); node.isConnected; ) {
    await frame();
    const now = placed();
    const top = document.elementFromPoint(now.x, now.y);
    const isHit = top !== null && (node.contains(top) || top.closest("label")?.control === node);
    if (now.x === before.x && now.y === before.y && isHit && !node.matches(":disabled")) return now;
    if (!isHit) node.scrollIntoView({ block: "center", inline: "nearest", behavior: "instant" });
    before = now;
  }
  return null;
}

/** Notes whether the next touch of the page is one of this element. */
function notesTouch(/** @type {any} */ node) {
  const page = /** @type {any} */ (globalThis);
  page.touch = new Promise((resolve) => {
    const landed = (/** @type {Event} */ event) =>
      resolve(event.composedPath().some((one) => one === node || /** @type {any} */ (one).control === node));
    addEventListener("pointerdown", landed, { capture: true, once: true });
    setTimeout(() => resolve(false), 60_000);
  });
}

const wasTouched = () => /** @type {any} */ (globalThis).touch;
