/** People whom one knows are chosen by name, for a new group and for one that is there. */

import { test } from "node:test";
import { violations } from "../axe.js";
import { becomes } from "../eventually.js";
import { World } from "../world.js";

test("a group is made with people who are chosen by name", async (t) => {
  const { ana, ben, world } = await World.climbing(t);
  const [cleo] = await world.people("Cleo");
  const hikers = await cleo.hasGroup("Hikers", ana);
  await ana.inList("Hikers").waitFor();

  await ana.page.getByRole("button", { name: "New group" }).first().click();
  const window = ana.page.getByRole("dialog", { name: "New group" });
  await becomes(() => violations(ana), [], "new group");
  await window.getByLabel("Name", { exact: true }).fill("Night climbers");
  await window.getByRole("searchbox", { name: "People (optional)" }).fill("cl");
  await window.getByRole("checkbox", { name: "Cleo" }).check();
  await window.getByRole("searchbox", { name: "People (optional)" }).fill("be");
  await window.getByRole("checkbox", { name: "Ben" }).check();
  // Who is chosen stays, whatever is searched for.
  await window.getByRole("checkbox", { name: "Cleo", checked: true }).waitFor();
  await window.getByRole("button", { name: "Create group" }).click();
  await ana.isReading("Night climbers");
  await ana.opensMembers();
  await ana.sees("3 members");
  for (const one of [ben, cleo]) await one.inList("Night climbers").waitFor();
  await cleo.says(hikers, "see you there");
});

test("members are added by name, and only those who are no members yet are offered", async (t) => {
  const { ana, ben } = await World.climbing(t);
  await ana.createsGroup("Night climbers");
  await ana.opensMembers();
  const panel = ana.page.getByRole("complementary", { name: "Details" });
  await panel.getByRole("button", { name: "Add someone" }).click();
  const window = ana.page.getByRole("dialog", { name: "Add to Night climbers" });
  await window.getByRole("radio", { name: "Name" }).and(ana.page.locator(":checked")).waitFor();
  await becomes(() => violations(ana), [], "add by name");
  await window.getByRole("button", { name: "Add", exact: true }).click();
  await window.getByText("Choose somebody.").waitFor();
  await window.getByRole("searchbox", { name: "Name" }).fill("zoe");
  await window.getByText("Nobody you know here has this name.").waitFor();
  await window.getByRole("searchbox", { name: "Name" }).fill("Ben");
  await ana.page.keyboard.press("Tab");
  await ana.page.keyboard.press("Space");
  await window.getByRole("button", { name: "Add", exact: true }).click();
  await window.getByText("Ben was added.").waitFor();
  await window.getByRole("checkbox", { name: "Ben" }).waitFor({ state: "detached" });
  await ana.page.keyboard.press("Escape");
  await ben.inList("Night climbers").waitFor();

  // Nobody is left to choose, so an address is asked for.
  await panel.getByRole("button", { name: "Add someone" }).click();
  await window.getByRole("radio", { name: "Email" }).and(ana.page.locator(":checked")).waitFor();
  await becomes(() => window.getByRole("radio", { name: "Name" }).count(), 0);
});

test("somebody who cannot be added is named, and the others are added", async (t) => {
  const { ana, ben, world } = await World.climbing(t);
  const [cleo] = await world.people("Cleo");
  await cleo.hasGroup("Hikers", ana);
  await ana.inList("Hikers").waitFor();
  await ana.createsGroup("Night climbers");
  await ben.call("POST", `/v3/blocks?user=${ben.id}&otherUser=${ana.id}`);
  await ana.opensMembers();
  const panel = ana.page.getByRole("complementary", { name: "Details" });
  await panel.getByRole("button", { name: "Add someone" }).click();
  const window = ana.page.getByRole("dialog", { name: "Add to Night climbers" });
  await window.getByRole("checkbox", { name: "Ben" }).check();
  await window.getByRole("checkbox", { name: "Cleo" }).check();
  await window.getByRole("button", { name: "Add", exact: true }).click();
  await window.getByText("Ben could not be added. Cleo was added.").waitFor();
  await window.getByRole("checkbox", { name: "Ben" }).waitFor();
});
