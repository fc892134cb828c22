/** Creating an account, logging in and out, and what is said when it does not work. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { becomes } from "../eventually.js";
import { World } from "../world.js";

test("someone new creates an account and is greeted", async (t) => {
  const world = await World.start(t);
  const ana = await world.visitor("Ana");
  await ana.registers();
  await ana.isConnected();
  await ana.sees("No conversations yet.");
  await ana.sees("Good to see you");
});

test("closed registration offers no account", async (t) => {
  const world = await World.start(t, ["--registration", "closed"]);
  const ana = await world.visitor("Ana");
  await ana.page.getByRole("heading", { name: "Log in" }).waitFor();
  const told = await ana.page.evaluate(() => fetch("/auth/options").then((answer) => answer.json()));
  assert.equal(told.response.registration, "closed");
  await ana.page.waitForLoadState("networkidle");
  await becomes(() => ana.page.getByRole("button", { name: "Create an account" }).isVisible(), false);
  const open = await (await World.start(t)).visitor("Ben");
  await open.page.getByRole("button", { name: "Create an account" }).waitFor();
});

test("one logs out and in again, and a reload keeps one signed in", async (t) => {
  const world = await World.start(t);
  const ana = await world.visitor("Ana");
  await ana.hasAnAccount();
  await ana.logsIn();
  await ana.isConnected();
  await ana.page.reload();
  await ana.isConnected();
  await ana.logsOut();
  await ana.page.getByRole("heading", { name: "Log in" }).waitFor();
  await becomes(() => ana.page.evaluate(() => localStorage.getItem("coterie.token")), null);
  await ana.logsIn();
  await ana.isConnected();
});

test("a wrong password and an unknown email are answered alike", async (t) => {
  const world = await World.start(t);
  const ana = await world.visitor("Ana");
  await ana.hasAnAccount();
  await ana.logsIn({ password: "not my password" });
  await ana.isTold("Wrong email or password.");
  await ana.logsIn({ email: "nobody@example.org" });
  await ana.isTold("Wrong email or password.");
});

test("missing fields are reported before a request", async (t) => {
  const world = await World.start(t);
  const ana = await world.visitor("Ana");
  await ana.registers({ "Your name": " ", Email: "ana", Password: "short" });
  const name = ana.page.getByLabel("Your name");
  await ana.sees("Enter your name.");
  await ana.sees("Enter an email address, like ana@example.org.");
  await ana.sees("Use at least 8 characters.");
  await becomes(() => name.getAttribute("aria-invalid"), "true");
  await becomes(() => name.evaluate((field) => field === document.activeElement), true);
});

test("an email that is taken is refused with a reason", async (t) => {
  const world = await World.start(t);
  const ana = await world.visitor("Ana");
  await ana.hasAnAccount();
  await ana.registers();
  await ana.isTold(/email/i);
});

test("a token that is revoked elsewhere signs the page out", async (t) => {
  const world = await World.start(t);
  const ana = await world.person("Ana");
  await ana.call("POST", "/auth/logout");
  await ana.sees("You have been logged out. Log in again to continue.");
});

test("an unreachable server shows an error", async (t) => {
  const world = await World.start(t);
  const ana = await world.visitor("Ana");
  await world.server.isKilled();
  await ana.logsIn();
  await ana.isTold("The server cannot be reached.");
});

test("a client that fails to load shows an error and loads on retry", async (t) => {
  const world = await World.start(t);
  const ana = await world.visitor("Ana");
  await ana.page.route("**/*.js", (route) =>
    route.request().url().endsWith("boot.js") ? route.continue() : route.abort(),
  );
  await ana.page.reload();
  await ana.isTold("Coterie could not be loaded.");
  await ana.page.unrouteAll();
  await ana.presses("Reload the page");
  await ana.page.getByRole("heading", { name: "Log in" }).waitFor();
});
