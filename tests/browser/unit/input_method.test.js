/** Keys that an input method uses do nothing in the client. */

import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { test } from "node:test";
import { composes } from "../../../static/js/ui/input_method.js";

const ROOT = new URL("../../../static/js/", import.meta.url);

test("a key belongs to the input method in each browser's way", () => {
  const pressed = (/** @type {object} */ facts) => composes(/** @type {KeyboardEvent} */ (facts));
  assert.equal(pressed({ key: "Enter", keyCode: 13, isComposing: false }), false);
  assert.equal(pressed({ key: "Enter", keyCode: 229, isComposing: true }), true);
  assert.equal(pressed({ key: "Enter", keyCode: 229, isComposing: false }), true, "Safari");
  assert.equal(pressed({ key: "Enter", keyCode: 13, isComposing: true }), true);
});

/** Handlers without a field that has the focus: buttons, and a window that is still loading. */
const WITHOUT_FIELD = new Set(["ui/held_keys.js", "conversation/tools_menu.js"]);

test("each handler of Enter and Escape leaves keys to the input method", async () => {
  const all = await readdir(ROOT, { recursive: true });
  const names = all.filter((name) => name.endsWith(".js") && !WITHOUT_FIELD.has(name));
  for (const name of names) {
    const text = await readFile(new URL(name, ROOT), "utf8");
    const acts = /\bkey [!=]== "(?:Enter|Escape)"/.test(text);
    if (acts) assert.match(text, /\bcomposes\(event\)/, name);
  }
});
