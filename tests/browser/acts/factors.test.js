/** The second factor: setting up one-time codes, and logging in with them. */

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { World } from "../world.js";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** The one-time code of a secret in base 32 (RFC 6238). */
function codeOf(/** @type {string} */ secret) {
  const bits = [...secret].map((sign) => ALPHABET.indexOf(sign).toString(2).padStart(5, "0")).join("");
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const step = Buffer.alloc(8);
  step.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000)));
  const hash = createHmac("sha1", key).update(step).digest();
  const at = hash[hash.length - 1] & 15;
  return String((hash.readUInt32BE(at) & 0x7fffffff) % 1_000_000).padStart(6, "0");
}

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
