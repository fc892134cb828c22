/** Log-in with an account of a provider, and the accounts at providers in the account. */

import { test } from "node:test";
import { Issuer } from "../issuer.js";
import { World } from "../world.js";

test("a visitor logs in with an account of a provider", async (t) => {
  const issuer = await Issuer.start(t);
  const world = await World.start(t, issuer.options());
  world.trusts(new URL(issuer.url).host);
  const ana = await world.visitor("Ana");
  const { page } = ana;
  await ana.visits();
  await page.getByRole("link", { name: "Log in with Example ID" }).click();
  await ana.isConnected();
  await ana.visits("/#/account");
  const section = page.getByRole("region", { name: "Single sign-on" });
  await section.getByText("Example ID").first().waitFor();
  await section.getByText("ana@example.org").waitFor();
  await section.getByRole("button", { name: "Unlink: Example ID" }).waitFor();
  await ana.logsOut();
  await page.getByRole("link", { name: "Log in with Example ID" }).click();
  await ana.isConnected();
});

test("a user links and unlinks an account of a provider", async (t) => {
  const issuer = await Issuer.start(t);
  const world = await World.start(t, issuer.options());
  world.trusts(new URL(issuer.url).host);
  const ana = await world.visitor("Ana");
  const { page } = ana;
  await ana.registers();
  await ana.visits("/#/account");
  const section = page.getByRole("region", { name: "Single sign-on" });
  await section.getByRole("button", { name: "Link an account at Example ID" }).click();
  await section.getByRole("button", { name: "Unlink: Example ID" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Unlink" }).click();
  await section.getByRole("button", { name: "Link an account at Example ID" }).waitFor();
});
