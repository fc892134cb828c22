/** Bots by keyboard, by ear and on a phone. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { hasBot, heading, opensBot, opensTab } from "../bots.js";
import { becomes } from "../eventually.js";
import { World } from "../world.js";

test("a bot is made with the keyboard only, and every control has a name", async (t) => {
  const world = await World.start(t);
  const ana = await world.person("Ana");
  await ana.hasGroup("Climbers");
  await ana.visits("/#/account/bots");
  const { keyboard } = ana.page;
  const makes = ana.page.getByRole("button", { name: "New bot" });
  await makes.waitFor();
  for (let presses = 0; presses < 10; presses += 1) {
    await keyboard.press("Tab");
    if (await makes.evaluate((one) => one === document.activeElement)) break;
  }
  await keyboard.press("Enter");
  await ana.page.getByRole("dialog", { name: "New bot" }).waitFor();
  await keyboard.type("Echo");
  await keyboard.press("Enter");
  await heading(ana, "Echo").waitFor();
  await becomes(() => ana.page.evaluate(() => document.activeElement?.textContent), "Echo");
  for (const tab of ["Overview", "Deliveries", "Settings"]) {
    await opensTab(ana, tab);
    await ana.page.locator(`.tab[aria-current]`, { hasText: tab }).waitFor();
    const nameless = await ana.page
      .locator(":is(button, a, input, textarea, select):visible")
      .evaluateAll((nodes) =>
        nodes
          .filter((node) => {
            const label = /** @type {HTMLInputElement} */ (node).labels?.[0]?.textContent;
            return !(node.getAttribute("aria-label") || label || node.textContent?.trim());
          })
          .map((node) => node.outerHTML),
      );
    assert.deepEqual(nameless, []);
  }
});

for (const scheme of /** @type {const} */ (["light", "dark"])) {
  test(`a bot fits a phone in ${scheme}`, async (t) => {
    const world = await World.start(t);
    const ana = await world.person("Ana", { phone: true });
    const name = "A bot with a very long name that goes on and on ".repeat(4).trim();
    const callback_url = `http://127.0.0.1:9/${"long/".repeat(60)}`;
    await hasBot(ana, { name, callback_url });
    await ana.page.emulateMedia({ colorScheme: scheme });
    await opensBot(ana, name);
    for (const tab of ["Overview", "Deliveries", "Settings"]) {
      await opensTab(ana, tab);
      const seen = await ana.page.evaluate(() => {
        const style = getComputedStyle(document.body);
        const light = (/** @type {string} */ colour) =>
          (colour.match(/\d+/g) ?? []).slice(0, 3).reduce((sum, part) => sum + Number(part), 0);
        const body = [...document.querySelectorAll(".bots-body")].find((one) => one.clientWidth > 0);
        return {
          tooWide: document.documentElement.scrollWidth - innerWidth,
          inside: (body?.scrollWidth ?? 0) - (body?.clientWidth ?? 0),
          isDark: light(style.backgroundColor) < light(style.color),
        };
      });
      assert.deepEqual(seen, { tooWide: 0, inside: 0, isDark: scheme === "dark" });
    }
  });
}
