/** The second factor: setting up one-time codes, and logging in with them. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { becomes } from "../eventually.js";
import { codeOf } from "../one_time_codes.js";
import { World } from "../world.js";

test("one-time codes are set up and a log-in needs one", async (t) => {
  const world = await World.start(t);
  const ana = await world.visitor("Ana");
  await ana.registers();
  await ana.visits("/#/account");
  const { page } = ana;
  await page.getByRole("button", { name: "Set up one-time codes" }).click();
  await page.getByRole("img", { name: "QR code of the key" }).waitFor();
  const secret = await page.locator(".dialog-form .copy-text").innerText();
  assert.match(secret, /^[A-Z2-7]{32}$/);
  await page.getByRole("textbox", { name: "Code" }).fill(codeOf(secret));
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("link", { name: "Download" }).waitFor();
  const shownCodes = async () =>
    (await page.locator(".dialog-form .copy-text").innerText()).trim().split(/\s+/);
  const former = await shownCodes();
  assert.equal(former.length, 10);
  await page.getByRole("button", { name: "Continue" }).click();
  await ana.sees("Log-ins need a one-time code from your app. Recovery codes left: 10.");
  await ana.presses("New recovery codes");
  const dialog = page.getByRole("dialog", { name: "New recovery codes" });
  await dialog.getByLabel("Password").fill(ana.password);
  await dialog.getByLabel("Code").fill(former[0]);
  await dialog.getByRole("button", { name: "Continue" }).click();
  await dialog.getByRole("link", { name: "Download" }).waitFor();
  const codes = await shownCodes();
  assert.ok(codes.length === 10 && !codes.includes(former[1]), String(codes));
  await dialog.getByRole("button", { name: "Continue" }).click();
  await ana.sees("Your recovery codes were replaced.");
  await ana.visits();
  await ana.isConnected();
  await ana.logsOut();
  await ana.logsIn();
  await page.getByRole("heading", { name: "Enter your code" }).waitFor();
  await page.getByRole("textbox", { name: "Code" }).fill("aaaa");
  await page.getByRole("button", { name: "Continue" }).click();
  await ana.sees("This code is wrong or was used already.");
  await page.getByRole("textbox", { name: "Code" }).fill(codes[0]);
  await page.getByLabel("Trust this device").check();
  await page.getByRole("button", { name: "Continue" }).click();
  await ana.isConnected();
  await ana.logsOut();
  await ana.logsIn();
  await ana.isConnected();
});

/**
 * A browser's own authenticator, which verifies its user (CDP).
 * @param {import("playwright-core").Page} page
 */
async function hasAuthenticator(page) {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("WebAuthn.enable");
  await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

test("a passkey logs in, is a second factor, and is renamed and removed", async (t) => {
  const world = await World.start(t);
  const local = world.server.url.replace("127.0.0.1", "localhost");
  world.trusts(new URL(local).host);
  const ana = await world.visitor("Ana");
  const { page } = ana;
  // An address without a name has no passkeys.
  await ana.presses("Create an account");
  await becomes(() => page.getByRole("button", { name: "Log in with a passkey" }).count(), 0);
  await ana.visits("/", local);
  await hasAuthenticator(page);
  await ana.registers();
  await ana.visits("/#/account", local);
  const passkeys = page.getByRole("region", { name: "Passkeys" });
  await passkeys.getByRole("button", { name: "Add a passkey" }).click();
  const adding = page.getByRole("dialog", { name: "Add a passkey" });
  await adding.getByLabel("Name").fill("Laptop");
  await adding.getByRole("button", { name: "Continue" }).click();
  await passkeys.getByText("Laptop").waitFor();
  await passkeys.getByRole("button", { name: "Rename: Laptop" }).click();
  const renaming = page.getByRole("dialog", { name: "Rename the passkey" });
  await renaming.getByLabel("Name").fill("My laptop");
  await renaming.getByRole("button", { name: "Save" }).click();
  await passkeys.getByText("My laptop").waitFor();
  await ana.presses("Set up one-time codes");
  await page.getByRole("img", { name: "QR code of the key" }).waitFor();
  const secret = await page.locator(".dialog-form .copy-text").innerText();
  await page.getByRole("textbox", { name: "Code" }).fill(codeOf(secret));
  await ana.presses("Continue");
  await page.getByRole("link", { name: "Download" }).waitFor();
  await ana.presses("Continue");
  await ana.visits("/", local);
  await ana.isConnected();
  await ana.logsOut();
  await ana.presses("Log in with a passkey");
  await ana.isConnected();
  const maker = await world.person("Mia");
  const { client_id: id } = await maker.call("POST", "/oauth/applications", {
    name: "Ropes",
    callback_url: "https://ropes.example.org/",
  });
  await ana.visits(`/oauth/authorize?client_id=${id}`, local);
  await ana.presses("Log in with a passkey");
  await ana.sees("Ropes, registered here by Mia, asks to act for you.");
  await ana.visits("/", local);
  await ana.logsOut();
  await ana.logsIn();
  await page.getByRole("heading", { name: "Enter your code" }).waitFor();
  await ana.presses("Use a passkey");
  await ana.isConnected();
  await ana.visits("/#/account", local);
  await passkeys.getByRole("button", { name: "Remove: My laptop" }).click();
  const removing = page.getByRole("dialog", { name: "Remove My laptop?" });
  await removing.getByRole("button", { name: "Use a passkey" }).click();
  await passkeys.getByRole("button", { name: "Remove: My laptop" }).waitFor({ state: "detached" });
  await removing.waitFor({ state: "detached" });
});
