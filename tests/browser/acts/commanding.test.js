/** Bots that take part: their commands, found by writing a slash. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { hasBot, opensBot, opensTab } from "../bots.js";
import { becomes } from "../eventually.js";
import { World } from "../world.js";

test("a bot's maker says how it takes part, and its commands are found by a slash", async (t) => {
  const world = await World.start(t);
  const ana = await world.person("Ana");
  const { bot } = await hasBot(ana);
  await opensBot(ana);
  await opensTab(ana, "Settings");
  await ana.page.getByLabel("A reaction").check();
  await ana.page.getByLabel("Posts the answers of its listener").check();
  await ana.fills({
    "Commands (optional)": "Tide",
    "Too old after so many seconds (optional)": "3600",
  });
  await ana.presses("Save behaviour");
  await ana.sees("“Tide” is not a valid name. Use up to 32 of a to z, 0 to 9, _ and -.");
  await ana.fills({ "Commands (optional)": "tide When it is high\n/moon" });
  await ana.presses("Save behaviour");
  await ana.sees("Saved.");
  const whole = await ana.call("POST", `/v3/bots/${bot.bot_id}/update`);
  assert.deepEqual(
    [whole.events, whole.commands, whole.post_answers, whole.drop_older_than],
    [
      ["message", "reaction"],
      [
        { name: "tide", description: "When it is high" },
        { name: "moon", description: "" },
      ],
      true,
      3600,
    ],
  );

  await ana.visits("/");
  await ana.isConnected();
  await ana.opens("Climbers");
  const list = ana.page.getByRole("listbox", { name: "Commands" });
  await ana.composer.pressSequentially("/");
  await list.getByRole("option", { name: /moon/ }).waitFor();
  await ana.composer.press("ArrowDown");
  await becomes(() => list.getByRole("option", { selected: true }).textContent(), /^\/tide/);
  await ana.composer.press("Escape");
  await list.waitFor({ state: "hidden" });
  await ana.composer.pressSequentially("ti");
  await list.getByRole("option", { name: /tide/ }).waitFor();
  await ana.composer.press("Enter");
  await becomes(() => ana.composer.inputValue(), "/tide ");
  await ana.composer.pressSequentially("now");
  await ana.composer.press("Enter");
  await ana.knowsItIsSent("/tide now");
});

test("an admin lets everyone mention everybody", async (t) => {
  const { ana, climbers } = await World.climbing(t);
  await ana.opens("Climbers");
  await ana.opensMembers();
  await ana.presses("Name and description");
  await ana.page.getByLabel("Everyone may mention @everyone").check();
  await ana.presses("Save");
  await becomes(async () => (await ana.call("GET", `/v3/groups/${climbers.id}`)).mention_all, "members");
});

test("typing @ offers members, and everyone if permitted", async (t) => {
  const { world, ana, ben, climbers } = await World.climbing(t);
  const okonkwo = await world.person("Cleo");
  okonkwo.name = "Cleo Okonkwo";
  await ana.brings(okonkwo, climbers);
  await ben.opens("Climbers");
  const list = ben.page.getByRole("listbox", { name: "People to mention" });
  await ben.composer.pressSequentially("rope at six, @");
  await list.getByRole("option", { name: "Ana" }).waitFor();
  // He himself is not offered, and an owner alone may call everybody.
  await becomes(() => list.getByRole("option", { name: /Ben|everyone/ }).count(), 0);
  await ben.composer.pressSequentially("okon");
  await becomes(() => list.getByRole("option").count(), 1);
  await ben.composer.press("Enter");
  await becomes(() => ben.composer.inputValue(), "rope at six, @Cleo Okonkwo ");
  await list.waitFor({ state: "hidden" });
  await ben.composer.press("Enter");
  await ben.knowsItIsSent("rope at six, @Cleo Okonkwo");
  await okonkwo.opens("Climbers");
  await okonkwo.page.locator(".bubble-for-me").waitFor();

  await ana.opens("Climbers");
  await ana.composer.pressSequentially("@every");
  await ana.page.getByRole("option", { name: "everyone" }).click();
  await becomes(() => ana.composer.inputValue(), "@everyone ");
  await ana.composer.press("Enter");
  await becomes(() => okonkwo.page.locator(".bubble-for-me").count(), 2);
});
