/** Log-in with an account of a provider, and the accounts at providers in the account. */

import { test } from "node:test";
import { becomes } from "../eventually.js";
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
  await becomes(async () => issuer.ended, 1);
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

test("an admin leaves passwords to operators, and others log in with a provider", async (t) => {
  const issuer = await Issuer.start(t);
  const world = await World.startEmpty(t, issuer.options());
  world.trusts(new URL(issuer.url).host);
  const ana = await world.visitor("Ana", { path: "/setup" });
  await ana.fills({ "Your name": "Ana", Email: ana.email, Password: ana.password });
  await ana.presses("Create account");
  await ana.page.getByRole("link", { name: "Skip" }).click();
  await ana.isConnected();
  const ben = await world.visitor("Ben");
  await ben.hasAnAccount();
  await ana.visits("/admin");
  await ana.page.getByRole("link", { name: "Settings" }).click();
  await ana.page.getByLabel("Who may log in with a password").selectOption({ label: "Operators only" });
  await ana.page.getByLabel("Reason").fill("single sign-on");
  await ana.presses("Save");
  await ana.sees("Saved.");
  await ben.visits("/");
  const { page } = ben;
  const provider = page.getByRole("link", { name: "Log in with Example ID" });
  await provider.waitFor();
  await becomes(() => page.getByLabel("Email").isVisible(), false);
  await ben.presses("Log in with a password");
  await ben.logsIn();
  await ben.isTold(/log in with Example ID or a passkey/);
  await provider.click();
  await ben.isConnected();
});
