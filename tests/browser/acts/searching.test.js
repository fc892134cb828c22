/** Finding messages by their words, and going to where they were said. */

import { test } from "node:test";
import { becomes } from "../eventually.js";
import { World } from "../world.js";

test("a search result leads to its message", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
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
  await becomes(() => found.locator("mark").first().innerText(), "crème", "the word is marked");
  await found.getByText("Climbers").waitFor();
  await found.click();
  await ana.isReading("Climbers");
  await ana.reads("the crème brûlée is at the crag");
});

test("a new message is searchable at once", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  await ben.says(climbers, "the crux is wet");
  // The server finds it before anybody looks; who looks twice is told nothing, as within the first
  // second, and then what it found.
  const looked = async () =>
    (await ana.call("GET", "/v3/search/messages?q=crux&limit=20").catch(() => null))?.messages ?? [];
  await becomes(async () => (await looked()).length, 1);
  const found = await looked();
  let asked = 0;
  await ana.page.route(/\/v3\/search\/messages/, async (route) => {
    asked += 1;
    const messages = asked <= 2 ? [] : found;
    await route.fulfill({
      status: 200,
      body: JSON.stringify({ response: { messages } }),
      contentType: "application/json",
    });
  });
  await ana.page.keyboard.press("Control+k");
  await ana.page.getByRole("combobox", { name: "Go to" }).fill("crux");
  await ana.page
    .getByRole("dialog")
    .getByRole("option", { name: /the crux is wet/ })
    .waitFor();
  await becomes(async () => asked, 3);
});
