/** Tokens that people make for scripts: their scopes, their end, and that they are shown once. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { World } from "../world.js";

test("a token is made with chosen scopes, used and ended", async (t) => {
  const world = await World.start(t);
  const ana = await world.visitor("Ana");
  await ana.registers();
  await ana.visits("/#/account");
  const { page } = ana;
  await page.getByRole("button", { name: "Make a token" }).click();
  const window = page.getByRole("dialog");
  await window.getByRole("button", { name: "Continue" }).click();
  await window.getByText("Enter a name.").waitFor();
  await window.getByLabel("Name").fill("Archive");
  await window.getByLabel("Read messages in groups").uncheck();
  await window.getByLabel("Manage your bots").check();
  await window.getByRole("button", { name: "Continue" }).click();
  await window.getByText("It will not be shown again.").waitFor();
  const token = await window.locator(".copy-text").innerText();
  await window.getByRole("button", { name: "Continue" }).click();
  await window.waitFor({ state: "detached" });
  const asks = (/** @type {string} */ path) =>
    fetch(new URL(path, page.url()), { headers: { "X-Access-Token": token } });
  assert.equal((await asks("/v3/bots")).status, 200);
  const refused = await asks("/v3/chats");
  assert.equal(refused.status, 403);
  assert.deepEqual((await refused.json()).meta.errors, ["this token lacks dms:read"]);
  const section = page.getByRole("region", { name: "Your tokens" });
  await section.getByText("May do 2 things").click();
  await section.getByText("See groups and their members").waitFor();
  await section.getByRole("button", { name: "End: Archive" }).click();
  await section.getByText("Archive").waitFor({ state: "detached" });
  assert.equal((await asks("/v3/bots")).status, 401);
});
