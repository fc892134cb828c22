/** Bots by keyboard, by ear, on a phone, and as the others in a group see them. */

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

test("an admin removes a former member's bot", async (t) => {
  const world = await World.start(t);
  const [ana, ben, cleo, dan] = await world.people("Ana", "Ben", "Cleo", "Dan");
  const group = await ana.hasGroup("Climbers", ben, dan);
  const { id: membership } = await ana.brings(cleo, group);
  const handing = { requests: [{ group_id: group.id, owner_id: ben.id }] };
  await ana.call("POST", "/v3/groups/change_owners", handing);
  const bots = (/** @type {import("../person.js").Person} */ person) =>
    person.page.getByRole("complementary", { name: "Details" }).getByRole("region", { name: "Bots" });
  for (const person of [ana, dan]) {
    await person.opens("Climbers");
    await person.opensMembers();
    await person.sees("4 members");
    await bots(person).waitFor({ state: "hidden" });
  }

  const echo = { name: "Echo", group_id: group.id };
  const { bot_id: bot } = await cleo.call("POST", "/v3/bots", { bot: echo });
  for (const person of [ana, dan]) await bots(person).getByText("Created by Cleo", { exact: true }).waitFor();
  await cleo.call("POST", `/v3/groups/${group.id}/members/${membership}/remove`);
  for (const person of [ana, dan]) {
    await bots(person).getByText("Created by Cleo, who left the group").waitFor();
    // A bot rests while the user who made it is not in the group.
    await bots(person).getByText("Inactive", { exact: true }).waitFor();
  }
  await becomes(() => bots(dan).getByRole("button").count(), 0);
  await ana.presses("Remove Echo");
  await ana.page.getByRole("dialog", { name: "Remove Echo from Climbers?" }).waitFor();
  await ana.confirms("Remove");
  for (const person of [ana, dan]) {
    await bots(person).waitFor({ state: "hidden" });
    await person.sees("Ana removed the Echo bot.");
  }
  const posting = cleo.call("POST", "/v3/bots/post", { bot_id: bot, text: "I am still here" });
  await assert.rejects(posting, /404/);
});

test("a creator sees and removes an inactive bot in the members", async (t) => {
  const world = await World.start(t);
  const ana = await world.person("Ana");
  await hasBot(ana, { active: false });
  await ana.opens("Climbers");
  await ana.opensMembers();
  const bots = ana.page.getByRole("region", { name: "Bots" });
  await bots.getByText("Created by you").waitFor();
  await bots.getByText("Inactive").waitFor();
  await ana.presses("Remove Echo");
  await ana.confirms("Remove");
  await bots.waitFor({ state: "hidden" });
});
