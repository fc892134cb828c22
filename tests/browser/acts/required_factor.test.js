/** A second factor that the server asks for: the bar before the deadline, and the pages after it. */

import { test } from "node:test";
import { violations } from "../axe.js";
import { becomes } from "../eventually.js";
import { codeOf } from "../one_time_codes.js";
import { World } from "../world.js";

/** @typedef {import("../person.js").Person} Person */

const ASKED = /This server asks for a second factor\. Set it up by/;

/** Types the first code of the key that is shown, and goes on to the recovery codes. */
async function typesTheFirstCode(/** @type {Person} */ { page }) {
  await page.getByRole("img", { name: "QR code of the key" }).waitFor();
  const secret = await page.locator(".dialog-form .copy-text").innerText();
  await page.getByRole("textbox", { name: "Code" }).fill(codeOf(secret));
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("link", { name: "Download" }).waitFor();
}

/** The server refuses these calls of a page, as it does after the deadline, until the function is called. */
async function isRefused(/** @type {Person} */ { page }, /** @type {RegExp} */ calls) {
  const meta = {
    code: 403,
    errors: ["this server requires a second factor; set up one-time codes first"],
    details: { needs: "second_factor" },
  };
  const body = JSON.stringify({ meta, response: null });
  await page.route(calls, (route) => route.fulfill({ status: 403, contentType: "application/json", body }));
  return () => page.unroute(calls);
}

const fits = (/** @type {Person} */ { page }) =>
  becomes(() => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);

/** An admin in front of a server of her own. */
async function hasAdmin(/** @type {World} */ world) {
  const ana = await world.visitor("Ana", { path: "/setup" });
  await ana.fills({ "Your name": "Ana", Email: ana.email, Password: ana.password });
  await ana.presses("Create account");
  await ana.page.getByRole("link", { name: "Skip" }).click();
  await ana.isConnected();
  return ana;
}

test("an admin asks everybody for a second factor, and a member sets it up from the bar", async (t) => {
  const world = await World.startEmpty(t);
  const ana = await hasAdmin(world);
  await ana.visits("/admin");
  await ana.page.getByRole("link", { name: "Settings" }).click();
  const who = ana.page.getByLabel("Who must have a second factor");
  await becomes(() => who.isEnabled(), true);
  await ana.sees("People who have none get 14 days to set up one-time codes.");
  await who.selectOption("Everybody");
  await ana.page.getByLabel("Reason").fill("accounts were stolen elsewhere");
  await ana.presses("Save");
  await ana.sees("Saved.");
  await becomes(() => who.inputValue(), "everyone");

  const ben = await world.visitor("Ben", { phone: true });
  const { page } = ben;
  await page.setViewportSize({ width: 320, height: 640 });
  await ben.registers();
  await ben.isConnected();
  await ben.sees(ASKED);
  await fits(ben);
  await becomes(() => violations(ben), []);
  const bar = page.getByRole("region", { name: "Two-factor log-in" });
  await bar.getByRole("button", { name: "Close" }).click();
  await bar.waitFor({ state: "hidden" });
  await page.reload();
  await bar.getByRole("link", { name: "Set up one-time codes" }).click();
  const section = page.getByRole("heading", { name: "Two-factor log-in" });
  await becomes(() => section.evaluate((heading) => heading === document.activeElement), true);
  await ben.sees(ASKED);
  await ben.presses("Set up one-time codes");
  await typesTheFirstCode(ben);
  await page.getByRole("button", { name: "Continue" }).click();
  await ben.sees("Log-ins need a one-time code from your app. Recovery codes left: 10.");
  await page.getByText(ASKED).filter({ visible: true }).waitFor({ state: "detached" });
  await ben.visits("/#/");
  await page.getByRole("button", { name: "New group" }).first().waitFor();
  await bar.waitFor({ state: "hidden" });
  await page.reload();
  await ben.isConnected();
  await bar.waitFor({ state: "hidden" });
});

test("after the deadline the account is a page that sets the second factor up", async (t) => {
  const world = await World.start(t);
  const ben = await world.visitor("Ben", { phone: true });
  const { page } = ben;
  await page.setViewportSize({ width: 320, height: 640 });
  await ben.registers();
  await ben.isConnected();
  const isFree = await isRefused(ben, /\/v3\/(sync|users\/me)(\?|$)/);
  await page.reload();
  const heading = page.getByRole("heading", { name: "Set up a second factor" });
  await heading.waitFor();
  await becomes(() => page.title(), "Set up a second factor · Coterie");
  await ben.sees("Your conversations open once you have one.");
  await page.getByRole("img", { name: "QR code of the key" }).waitFor();
  await fits(ben);
  await becomes(() => violations(ben), []);
  await ben.logsOut();
  await page.getByRole("heading", { name: "Log in" }).waitFor();
  await ben.logsIn();
  await heading.waitFor();
  await page.getByRole("img", { name: "QR code of the key" }).waitFor();
  await ben.presses("Continue");
  await ben.sees("Enter the code.");
  await typesTheFirstCode(ben);
  await isFree();
  await ben.presses("Continue");
  await ben.isConnected();
  await becomes(() => heading.count(), 0);
});

test("a deadline that passes while the client is open leads to the page, too", async (t) => {
  const { ana, climbers } = await World.climbing(t);
  const { page } = ana;
  await ana.opens("Climbers");
  const isFree = await isRefused(ana, /\/v3\/(sync|users\/me)(\?|$)/);
  await ana.visits("/#/account");
  await page.getByRole("heading", { name: "Set up a second factor" }).waitFor();
  await typesTheFirstCode(ana);
  await isFree();
  await ana.presses("Continue");
  await ana.isConnected();
  await ana.visits(`/#/groups/${climbers.id}`);
  await ana.isReading("Climbers");
});

test("operators without the second factor are led from their pages to the account", async (t) => {
  const world = await World.startEmpty(t);
  const ana = await hasAdmin(world);
  const isFree = await isRefused(ana, /\/v3\/admin\//);
  await ana.visits("/admin");
  await ana.sees("This server asks operators for a second factor. These pages open once you have one.");
  await becomes(() => violations(ana), []);
  await ana.page.getByRole("main").getByRole("link", { name: "Set up one-time codes" }).click();
  await ana.presses("Set up one-time codes");
  await typesTheFirstCode(ana);
  await isFree();
  await ana.page.getByRole("button", { name: "Continue" }).click();
  const section = ana.page.getByRole("region", { name: "Two-factor log-in" });
  await section.getByRole("button", { name: "Turn off" }).click();
  await ana.sees("A server that asks for a second factor will ask you to set one up again.");
  await ana.page.keyboard.press("Escape");
  await ana.page.getByRole("dialog").waitFor({ state: "detached" });
  await ana.visits("/admin");
  await ana.sees("Your role: Admin");
});
