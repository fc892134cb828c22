/** Links to one message, however far up it is. */

import { test } from "node:test";
import { World } from "../world.js";

test("a link leads to its message, far above what was loaded", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  const meant = await ana.says(climbers, "this one is meant");
  for (let at = 1; at <= 260; at += 1) await ana.says(climbers, `line ${at}`);
  await ben.visits(`/#/groups/${climbers.id}/messages/${meant.id}`);
  const line = ben.line("this one is meant");
  await line.and(ben.page.locator(":focus")).waitFor();
  await ben.page.getByRole("button", { name: "Jump to the newest message" }).click();
  await ben.reads("line 260");
  await line.waitFor({ state: "detached" });

  // And once more, from another page, by what was copied.
  await ana.opens("Climbers");
  await ana.line("line 260").hover();
  await ana.line("line 260").getByRole("button", { name: "Copy link" }).click();
  const dialog = ana.page.getByRole("dialog", { name: "Link to this message" });
  const address = (await dialog.locator("code").textContent()) ?? "";
  await ben.page.goto(address);
  await ben.line("line 260").and(ben.page.locator(":focus")).waitFor();
});

test("a link to what is not there says so and shows the newest", async (t) => {
  const world = await World.start(t);
  const ana = await world.person("Ana");
  const climbers = await ana.hasGroup("Climbers");
  await ana.says(climbers, "rope at six");
  await ana.visits(`/#/groups/${climbers.id}/messages/123`);
  await ana.isTold("This message cannot be shown.");
  await ana.reads("rope at six");
});
