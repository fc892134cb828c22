/** What the acts of the browser tests must not do. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

const ACTS = new URL("../acts/", import.meta.url);
/** An assertion about what the page shows at this very moment: it depends on the last frame. */
const LOOKS_ONCE =
  /assert\.\w+\(\s*\(?await [^;]*?\.(isVisible|isHidden|isDisabled|isEnabled|isChecked|count|inputValue|innerText|textContent|getAttribute|allTextContents|texts)\(/;
/** The same by an act's own words; what servers answer, and what was noted, may be looked at once. */
const ASKS_ONCE = /assert\.\w+\(\s*await (?!(asks|scripts|violations)\()\w+\(/;
/** A look that depends on the last frame, whatever is said of it later. */
const TAKEN_ONCE = /= await [^;]*?(boundingBox\(|activeElement\?\.textContent)/;
const SLEEPS = /\bsetTimeout\(|waitForTimeout\(/;
const FAULTS = [LOOKS_ONCE, ASKS_ONCE, TAKEN_ONCE, SLEEPS];

test("the acts wait for what they expect, and sleep for nothing", () => {
  const faults = readdirSync(ACTS).flatMap((file) =>
    readFileSync(new URL(file, ACTS), "utf8")
      .split(/(?<=;)\n/)
      .filter((statement) => FAULTS.some((fault) => fault.test(statement)))
      .map((statement) => `${file}: ${statement.trim()}`),
  );
  assert.deepEqual(faults, [], "ask `becomes` instead: see eventually.js");
});
