/**
 * The sound for new messages: which messages make one, and when.
 *
 * The server says of each message whether it notifies its reader (`alert`), by the level of the conversation and what
 * is muted. Loaded with the first message that may make a sound.
 */

import { deviceSettings } from "../device/device_settings.js";
import { SOUNDED } from "../device/kept.js";
import { isUnread } from "../sync/log.js";
import { isApart } from "../sync/store.js";
import { chimeSettings, isQuiet } from "./chime_settings.js";
import { playTones } from "./tones.js";

/** @typedef {import("../sync/types.js").Snapshot} Snapshot */
/** @typedef {import("../sync/types.js").Event} Event */

/** The time between two sounds of this browser, at least. */
const APART_MS = 2_000;
/** How long a message may be read after it came, here or on another page or device, and make no sound. */
const READ_MS = 400;

/**
 * Whether a message that came a moment ago makes a sound: it is unread, in no request or archived group, and not of
 * somebody whom I block.
 */
export function mayChime(/** @type {Snapshot | null} */ snapshot, /** @type {Event} */ { conv, data }) {
  const conversation = snapshot?.conversations[conv];
  if (!conversation || isApart(conversation)) return false;
  return isUnread(conversation) && !snapshot.blocked.includes(data.user_id);
}

/** Gives up the claim of this page. */
let release = () => {};

/**
 * Whether this page is the first of the browser to claim a message. It keeps the claim until its next one: what pages
 * write to localStorage reaches other pages late. Pages without HTTPS have no locks, so each of them claims.
 * @returns {Promise<boolean>}
 */
const claims = (/** @type {string} */ id) =>
  new Promise((resolve) => {
    if (!navigator.locks) return resolve(true);
    navigator.locks.request(`${SOUNDED}.${id}`, { ifAvailable: true }, (lock) => {
      resolve(lock !== null);
      if (lock === null) return;
      release();
      return new Promise((free) => {
        release = () => free(undefined);
      });
    });
  });

/** What a browser offers for this. */
const BROWSER = {
  storage: /** @type {() => Pick<Storage, "getItem" | "setItem">} */ (() => localStorage),
  claims,
  now: () => new Date(),
  pause: (/** @type {number} */ ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  play: /** @type {() => Promise<unknown>} */ (playTones),
};

/**
 * @param {Pick<import("../app/app.js").App, "state">} app
 * @param {typeof BROWSER} browser
 */
export function createChimes({ state }, browser = BROWSER) {
  /** The message that made the last sound in this browser, and when. */
  const lastSound = deviceSettings(SOUNDED, { id: "", at: 0 }, browser.storage);
  /** When this page made its last sound. */
  let last = 0;

  /** Whether this page makes the sound for a message: no other page does, and the last sound is over. */
  async function takesTurn(/** @type {Event} */ event) {
    const now = browser.now().getTime();
    const { id } = event.data;
    const isClear = () => {
      const before = lastSound.get();
      const isOver = Math.abs(now - Math.max(before.at, last)) >= APART_MS;
      return isOver && before.id !== id && mayChime(state.get().snapshot, event);
    };
    if (!isClear() || !(await browser.claims(id)) || !isClear()) return false;
    last = now;
    lastSound.change({ id, at: now });
    return true;
  }

  return {
    /** Makes the sound for a message that just came, if it makes one. */
    async came(/** @type {Event} */ event) {
      const now = browser.now();
      const settings = chimeSettings();
      const isSilent = !settings.on || isQuiet(settings, now.getHours() * 60 + now.getMinutes());
      if (isSilent || Math.abs(now.getTime() - last) < APART_MS) return;
      await browser.pause(READ_MS);
      if (await takesTurn(event)) await browser.play();
    },
  };
}
