/**
 * The sound for new messages: which messages make one, and when.
 *
 * The server says of each message whether it notifies its reader (`alert`), by the level of the conversation and what
 * is muted. Loaded with the first message that may make a sound.
 */

import { chimeSettings, isQuiet } from "./chime_settings.js";
import { isUnread } from "./log.js";
import { playTones } from "./tones.js";

/** @typedef {import("./types.js").Snapshot} Snapshot */
/** @typedef {import("./types.js").Event} Event */

/** The time between two sounds of this browser, at least. */
const APART_MS = 2_000;
/** How long a message may be read after it came, here or on another page or device, and make no sound. */
const READ_MS = 400;
/** The localStorage key of the message that made the last sound, and the name of the lock for it. */
const KEY = "coterie.sounded";

/** Whether a message that came a moment ago makes a sound: it is unread, and I do not block its author. */
export function mayChime(/** @type {Snapshot | null} */ snapshot, /** @type {Event} */ { conv, data }) {
  const conversation = snapshot?.conversations[conv];
  return !!conversation && isUnread(conversation) && !snapshot.blocked.includes(data.user_id);
}

/** What a browser offers for this. */
const BROWSER = {
  storage: /** @type {() => Pick<Storage, "getItem" | "setItem">} */ (() => localStorage),
  /** Runs something while no other page of this browser does. Pages without HTTPS have no locks. */
  alone: async (/** @type {() => boolean} */ run) =>
    navigator.locks ? navigator.locks.request(KEY, run) : run(),
  now: () => new Date(),
  pause: (/** @type {number} */ ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  play: /** @type {() => Promise<unknown>} */ (playTones),
};

/**
 * @param {Pick<import("./app.js").App, "state">} app
 * @param {typeof BROWSER} browser
 */
export function createChimes({ state }, browser = BROWSER) {
  /** When this page made its last sound. */
  let last = 0;

  /** Whether this page makes the sound for a message: no other page does, and the last sound is over. */
  function takesTurn(/** @type {string} */ id) {
    const now = browser.now().getTime();
    return browser.alone(() => {
      const before = sounded(browser.storage);
      if (before.id === id || Math.abs(now - Math.max(before.at, last)) < APART_MS) return false;
      last = now;
      keep(browser.storage, { id, at: now });
      return true;
    });
  }

  return {
    /** Makes the sound for a message that just came, if it makes one. */
    async came(/** @type {Event} */ event) {
      const now = browser.now();
      const settings = chimeSettings();
      const isSilent = !settings.on || isQuiet(settings, now.getHours() * 60 + now.getMinutes());
      if (isSilent || Math.abs(now.getTime() - last) < APART_MS) return;
      await browser.pause(READ_MS);
      if (!mayChime(state.get().snapshot, event)) return;
      if (await takesTurn(event.data.id)) await browser.play();
    },
  };
}

/** The message that made the last sound in this browser, and when. */
function sounded(/** @type {() => Pick<Storage, "getItem">} */ storage) {
  try {
    return { id: "", at: 0, ...JSON.parse(storage().getItem(KEY) ?? "{}") };
  } catch {
    return { id: "", at: 0 };
  }
}

function keep(
  /** @type {() => Pick<Storage, "setItem">} */ storage,
  /** @type {{ id: string, at: number }} */ one,
) {
  try {
    storage().setItem(KEY, JSON.stringify(one));
  } catch {
    // The browser refuses storage: then each page counts for itself.
  }
}
