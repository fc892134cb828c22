/** Days of events: a date is read as it is written, whatever the zone of the reader. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { daysOf, endOf, startOf } from "../../../static/js/calendar/event_days.js";

const days = (/** @type {string} */ start, /** @type {string} */ end) => {
  const { first, last } = daysOf({ start_at: start, end_at: end });
  return `${first} ${last}`;
};

test("an event of whole days has the written dates", () => {
  for (const [start, end, expected] of [
    ["2026-05-01T00:00:00+02:00", "2026-05-02T00:00:00+02:00", "2026-05-01 2026-05-01"],
    ["2026-05-01T00:00:00+02:00", "2026-05-01T00:00:00+02:00", "2026-05-01 2026-05-01"],
    ["2026-05-01T00:00:00Z", "2026-05-03T23:59:59Z", "2026-05-01 2026-05-03"],
    ["2028-02-28T00:00:00-11:00", "2028-03-01T00:00:00-11:00", "2028-02-28 2028-02-29"],
    ["9999-12-30T00:00:00+14:00", "9999-12-31T00:00:00+14:00", "9999-12-30 9999-12-30"],
  ]) {
    assert.equal(days(start, end), expected);
  }
});

test("a day becomes a moment in the offset of the event", () => {
  assert.equal(startOf("2026-05-03", "2026-05-01T00:00:00+02:00"), "2026-05-03T00:00:00+02:00");
  assert.equal(endOf("2026-12-31", "2026-05-01T00:00:00Z"), "2027-01-01T00:00:00Z");
});

test("every zone shows the same days", () => {
  const url = (/** @type {string} */ file) =>
    JSON.stringify(new URL(`../../../static/js/${file}`, import.meta.url).href);
  const code = `
    const { daysOf } = await import(${url("calendar/event_days.js")});
    const { dayRange } = await import(${url("text/time.js")});
    const { first, last } = daysOf({ start_at: "2026-05-01T00:00:00+02:00", end_at: "2026-05-02T00:00:00+02:00" });
    console.log(first, last, dayRange(first, last));`;
  const shown = ["Europe/Berlin", "America/New_York", "Pacific/Kiritimati", "Pacific/Pago_Pago"].map(
    (zone) => {
      const run = spawnSync(process.execPath, ["--input-type=module", "--eval", code], {
        env: { ...process.env, TZ: zone, LANG: "en_US.UTF-8" },
        encoding: "utf8",
      });
      return run.stdout || run.stderr;
    },
  );
  for (const text of shown) assert.match(text, /^2026-05-01 2026-05-01 .*\b1\b/);
  assert.equal(new Set(shown).size, 1);
});
