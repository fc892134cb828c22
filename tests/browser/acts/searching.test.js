/** Finding messages by their words, and going to where they were said. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { World } from "../world.js";

test("a message is found by its words, in any conversation, and leads to where it was said", async (t) => {
  const world = await World.start(t);
  const [ana, ben] = await world.people("Ana", "Ben");
  const climbers = await ana.hasGroup("Climbers", ben);
  await ben.says(climbers, "the crème brûlée is at the crag");
  for (let at = 1; at <= 120; at += 1) await ana.says(climbers, `step ${at}`);
  await ana.hasGroup("Book club");
  const { keyboard } = ana.page;
  await keyboard.press("Control+k");
  const box = ana.page.getByRole("combobox", { name: "Go to" });
  const found = ana.page.getByRole("dialog").getByRole("option", { name: /crème brûlée/ });
  // It is found within a second after it was said: asked again, as people do.
  for (let tries = 0; (await found.count()) === 0; tries += 1) {
    await box.fill(tries % 2 === 0 ? "creme bru" : "creme brul");
    await found.waitFor({ timeout: 2000 }).catch(() => {});
  }
  assert.equal(await found.locator("mark").first().innerText(), "crème");
  assert.match(await found.innerText(), /Climbers/);
  await found.click();
  await ana.isReading("Climbers");
  await ana.reads("the crème brûlée is at the crag");
});
