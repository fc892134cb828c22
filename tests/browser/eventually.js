/**
 * A look at the page that waits: what a test expects is true now or becomes true soon.
 *
 * A page that looks once sees whatever the last frame happened to show. So the acts ask
 * here instead, and `unit/acts.test.js` refuses an assertion that looks only once.
 */

import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";

/** How long something may take on a machine that has other work too, in milliseconds. */
const PATIENCE = Number(process.env.PATIENCE_MS ?? 240_000);
/** Between two looks, in milliseconds. */
const BETWEEN_LOOKS = 20;
/** How long something may take to come of a touch before it is tried again, in milliseconds. */
const BEFORE_ANOTHER_TRY = 5_000;

/**
 * Resolves as soon as what is read equals what is expected (a regular expression: matches it).
 *
 * @template T
 * @param {() => Promise<T>} read
 * @param {NoInfer<T> | RegExp} expected
 * @param {string} [what] what to say if it never does
 */
export async function becomes(read, expected, what) {
  const end = Date.now() + PATIENCE;
  for (;;) {
    const value = await read();
    if (holds(value, expected)) return;
    if (Date.now() > end) return says(value, expected, what);
    await pause(BETWEEN_LOOKS);
  }
}

/**
 * Does something, and again when nothing comes of it: a page that moves between the aim and the touch lets a finger
 * come down beside, as people's do.
 *
 * @param {() => Promise<void>} act
 * @param {() => Promise<boolean>} hasWorked
 */
export async function repeats(act, hasWorked) {
  const end = Date.now() + PATIENCE;
  for (;;) {
    await act();
    const next = Date.now() + BEFORE_ANOTHER_TRY;
    while (Date.now() < next) {
      if (await hasWorked()) return;
      await pause(BETWEEN_LOOKS);
    }
    assert.ok(Date.now() < end, "something comes of it");
  }
}

/**
 * Presses a button that is there only while the pointer is over this line. A line that moves away meanwhile takes
 * the button along, so the pointer goes after it.
 */
export async function pressesAt(
  /** @type {import("playwright-core").Locator} */ line,
  /** @type {import("playwright-core").Locator} */ button,
) {
  const end = Date.now() + PATIENCE;
  for (;;) {
    await line.hover();
    try {
      return await button.click({ timeout: BEFORE_ANOTHER_TRY });
    } catch (error) {
      if (Date.now() > end) throw error;
    }
  }
}

function holds(/** @type {unknown} */ value, /** @type {unknown} */ expected) {
  try {
    says(value, expected);
    return true;
  } catch {
    return false;
  }
}

/** Throws unless the value is what is expected. */
function says(/** @type {unknown} */ value, /** @type {unknown} */ expected, what = "") {
  const words = what || undefined;
  if (expected instanceof RegExp) assert.match(String(value), expected, words);
  else assert.deepEqual(value, expected, words);
}
