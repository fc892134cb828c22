/** The list of blocked people on the account page. */

import { test } from "node:test";
import { violations } from "../axe.js";
import { becomes } from "../eventually.js";
import { World } from "../world.js";

test("blocked people are listed and unblocked on the account page", async (t) => {
  const { world, ana, ben } = await World.climbing(t);
  const [cleo] = await world.people("Cleo");
  await ana.visits("/#/account");
  const section = ana.page.getByRole("region", { name: "Blocked people" });
  await ana.page.getByRole("region", { name: "Sessions" }).waitFor();
  await becomes(() => section.isVisible(), false);

  // Cleo shares no conversation with Ana, so Ana sees no name of hers.
  const stranger = `User ${cleo.id}`;
  for (const other of [ben, cleo])
    await ana.call("POST", "/v3/blocks", { user: ana.id, otherUser: other.id });
  await ana.page.reload();
  for (const name of ["Ben", stranger]) await section.getByText(name, { exact: true }).waitFor();
  await becomes(() => violations(ana), []);

  await section.getByRole("button", { name: `Unblock ${stranger}` }).click();
  await section.getByText(stranger, { exact: true }).waitFor({ state: "detached" });
  await section.getByRole("button", { name: "Unblock Ben" }).and(ana.page.locator(":focus")).waitFor();
  await ana.page.keyboard.press("Enter");
  await section.waitFor({ state: "hidden" });
  const blocks = async () => (await ana.call("GET", `/v3/blocks?user=${ana.id}`)).blocks.length;
  await becomes(blocks, 0);
});
