/** Words of a message that are taken along: copied from its menu, pasted elsewhere. */

import { test } from "node:test";
import { becomes } from "../eventually.js";
import { World } from "../world.js";

/** Copies what a line says, and pastes it into the field. */
async function copies(
  /** @type {import("../person.js").Person} */ who,
  /** @type {import("playwright-core").Locator} */ line,
  /** @type {string} */ written,
) {
  await who.takes(line, "Copy text");
  await who.page.getByRole("status").filter({ hasText: "Text copied." }).waitFor();
  await who.composer.fill("");
  await who.composer.press("ControlOrMeta+V");
  await becomes(() => who.composer.inputValue(), written);
}

test("copying a message copies its source text", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  await ben.says(climbers, "bring **two** ropes\nand chalk");
  await ben.says(climbers, "and a helmet");
  await ana.opens("Climbers");
  await copies(ana, ana.line("and a helmet"), "and a helmet");
  await copies(ana, ana.lines.filter({ hasText: "ropes" }), "bring **two** ropes\nand chalk");
});

test("a page without a clipboard of its own copies too, and the focus stays", async (t) => {
  const { ana, climbers } = await World.climbing(t);
  await ana.says(climbers, "rope at six");
  await ana.page.addInitScript(() => Object.defineProperty(navigator, "clipboard", { value: undefined }));
  await ana.page.reload();
  await ana.opens("Climbers");
  const more = ana.line("rope at six").getByRole("button", { name: "More actions", exact: true });
  await more.focus();
  await more.press("Enter");
  await ana.page.getByRole("menuitem", { name: "Copy text", exact: true }).press("Enter");
  await ana.page.getByRole("status").filter({ hasText: "Text copied." }).waitFor();
  await more.and(ana.page.locator(":focus")).waitFor();
  await ana.composer.press("ControlOrMeta+V");
  await becomes(() => ana.composer.inputValue(), "rope at six");
});

test("system messages cannot be copied", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  const { id } = await ben.says(climbers, "rope at six");
  await ben.call("DELETE", `/v3/conversations/${climbers.id}/messages/${id}`);
  await ana.opens("Climbers");
  const gone = ana.line("This message was deleted");
  await gone.waitFor();
  await becomes(() => ana.mayTake(gone, "About this message"), true);
  await becomes(() => ana.mayTake(gone, "Copy text"), false);
});
