/** Writing with formatting by keys and by the bar, and with emoji by their names. */

import { test } from "node:test";
import { violations } from "../axe.js";
import { becomes } from "../eventually.js";
import { World } from "../world.js";

/** @typedef {import("../person.js").Person} Person */

const bar = (/** @type {Person} */ { page }) => page.getByRole("toolbar", { name: "Formatting" });

/** Writes a text and selects a part of it. */
async function selects(/** @type {Person} */ person, /** @type {string} */ text, /** @type {string} */ part) {
  await person.composer.fill(text);
  await person.composer.evaluate((node, chosen) => {
    const field = /** @type {HTMLTextAreaElement} */ (node);
    const at = field.value.indexOf(chosen);
    field.setSelectionRange(at, at + chosen.length);
  }, part);
}

test("keys format the selection, and undo takes it back", async (t) => {
  const { ana } = await World.climbing(t);
  await ana.opens("Climbers");
  const written = (/** @type {string} */ text) => becomes(() => ana.composer.inputValue(), text);
  await selects(ana, "bring two ropes", "two");
  await ana.page.keyboard.press("ControlOrMeta+b");
  await written("bring **two** ropes");
  await ana.page.keyboard.press("ControlOrMeta+i");
  await written("bring **_two_** ropes");
  await ana.page.keyboard.press("ControlOrMeta+z");
  await written("bring **two** ropes");
  await selects(ana, "see the topo", "topo");
  await ana.page.keyboard.press("ControlOrMeta+k");
  await written("see the [topo](https://)");
  await ana.page.keyboard.type("https://example.org/topo");
  await ana.page.keyboard.press("Enter");
  await ana.page.locator(".line").getByRole("link", { name: "topo" }).waitFor();
  // Without a selection, the same key goes anywhere.
  await ana.composer.press("ControlOrMeta+k");
  await ana.page.getByRole("dialog", { name: "Go to" }).waitFor();
});

test("the bar shows while text is selected", async (t) => {
  const { ana } = await World.climbing(t);
  await ana.page.setViewportSize({ width: 320, height: 640 });
  await ana.opens("Climbers");
  await ana.composer.fill("rope and chalk");
  await bar(ana).waitFor({ state: "hidden" });
  await selects(ana, "rope and chalk", "rope");
  await bar(ana).waitFor();
  await becomes(() => violations(ana), []);
  await bar(ana).getByRole("button", { name: "Strikethrough" }).click();
  await becomes(() => ana.composer.inputValue(), "~~rope~~ and chalk");
  await bar(ana).getByRole("button", { name: "Bold" }).press("Enter");
  await becomes(() => ana.composer.inputValue(), "~~**rope**~~ and chalk");
  await ana.composer.press("End");
  await bar(ana).waitFor({ state: "hidden" });
});

test("a colon and a name offer emoji", async (t) => {
  const { ana } = await World.climbing(t);
  await ana.opens("Climbers");
  const offered = ana.page.getByRole("listbox", { name: "Emoji" });
  await ana.composer.pressSequentially("at 10:30 :fir");
  await offered.getByRole("option", { name: "fire", exact: true }).waitFor();
  await becomes(() => violations(ana), []);
  await ana.composer.press("Tab");
  await becomes(() => ana.composer.inputValue(), /^at 10:30 \p{Emoji}/u);
  await ana.composer.fill("");
  await ana.composer.pressSequentially(":red_heart:");
  await offered.getByRole("option", { name: "red heart", exact: true }).waitFor();
  await ana.composer.press("Enter");
  await becomes(() => ana.composer.inputValue(), "❤️ ");
  await ana.composer.press("Enter");
  await ana.reads("❤️");
});
