/** Threads: answers that belong to a message, counted and opened from there. */

import { test } from "node:test";
import { World } from "../world.js";

test("a message shows how many answered it, and leads to what they said", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  await ana.says(climbers, "rope at six?");
  await ana.opens("Climbers");
  await ben.opens("Climbers");
  await ben.line("rope at six?").getByRole("button", { name: "Reply", exact: true }).click();
  await ben.composer.fill("with chalk");
  await ben.composer.press("Enter");
  const thread = ana.page.getByRole("button", { name: "1 reply", exact: true });
  await thread.click();
  await ana.page.getByRole("dialog").getByRole("link", { name: "with chalk" }).waitFor();
  await ana.page.reload();
  await thread.waitFor();
});
