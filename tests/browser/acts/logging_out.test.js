/** Logging out: nothing that was written is lost, and the token ends. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { becomes } from "../eventually.js";
import { World } from "../world.js";

/** @typedef {import("../person.js").Person} Person */

/** The status with which the server answers to the token of a person. */
const statusOf = async (/** @type {World} */ world, /** @type {Person} */ { token }) =>
  (await fetch(`${world.server.url}/v3/users/me`, { headers: { "X-Access-Token": token } })).status;

const question = (/** @type {Person} */ { page }) =>
  page.getByRole("dialog", { name: "Log out with unsent messages?" });

const kept = (/** @type {Person} */ { page }) => page.evaluate(() => Object.keys(localStorage));

test("a log-out offline asks first, keeps unsent text, and ends the token later", async (t) => {
  const { world, ana } = await World.climbing(t);
  await ana.hasGroup("Book club");
  await ana.opens("Climbers");
  await ana.page.context().setOffline(true);
  await ana.writes("into the dark");
  await ana.sees("Waiting. It will be sent automatically.");
  await ana.opens("Book club");
  await ana.composer.fill("half a thought");
  await ana.logsOut();
  await question(ana).waitFor();
  await question(ana).getByRole("button", { name: "Cancel" }).click();
  await question(ana).waitFor({ state: "detached" });
  await becomes(() => ana.composer.inputValue(), "half a thought");

  await ana.logsOut();
  await question(ana).getByRole("button", { name: "Log out", exact: true }).click();
  await ana.page.getByRole("heading", { name: "Log in" }).waitFor();
  await becomes(() => statusOf(world, ana), 200);
  await ana.page.context().setOffline(false);
  await becomes(() => statusOf(world, ana), 401);
  await becomes(async () => (await kept(ana)).includes("coterie.revocations"), false);

  await ana.logsIn();
  await ana.opens("Climbers");
  await ana.knowsItIsSent("into the dark");
  await ana.opens("Book club");
  await becomes(() => ana.composer.inputValue(), "half a thought");
});

test("another account on the device neither sees nor sends unsent text", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  await ana.opens("Climbers");
  await ana.page.context().setOffline(true);
  await ana.writes("into the dark");
  await ana.sees("Waiting. It will be sent automatically.");
  await ana.logsOut();
  await question(ana).getByRole("button", { name: "Log out", exact: true }).click();
  await ana.page.getByRole("heading", { name: "Log in" }).waitFor();
  await ana.page.context().setOffline(false);
  await ana.logsIn({ email: ben.email, password: ben.password });
  await ana.opens("Climbers");
  await ana.writes("by Ben");
  await ana.knowsItIsSent("by Ben");
  const { messages } = await ben.call("GET", `/v3/groups/${climbers.id}/messages`);
  assert.deepEqual(
    messages.filter((/** @type {any} */ { system }) => !system).map((/** @type {any} */ { text }) => text),
    ["by Ben"],
  );
});

test("a log-out with everything sent asks nothing and leaves nothing", async (t) => {
  const { world, ana } = await World.climbing(t);
  await ana.opens("Climbers");
  await ana.writes("rope at six");
  await ana.knowsItIsSent("rope at six");
  await ana.logsOut();
  await ana.page.getByRole("heading", { name: "Log in" }).waitFor();
  await becomes(() => statusOf(world, ana), 401);
  await becomes(() => kept(ana), []);
});

test("a message that the feed brings before its post is answered is no unsent one", async (t) => {
  const { ana } = await World.climbing(t);
  await ana.opens("Climbers");
  await ana.page.route(/\/v3\/groups\/\d+\/messages$/, async (route) => {
    await route.fetch();
    // The page is left without an answer.
  });
  await ana.writes("rope at six");
  await ana.knowsItIsSent("rope at six");
  await ana.logsOut();
  await ana.page.getByRole("heading", { name: "Log in" }).waitFor();
  await becomes(() => kept(ana), []);
});

test("the session list asks before it logs out with a draft in a thread", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  const message = await ben.says(climbers, "rope at six");
  await ana.page.evaluate(
    (key) => localStorage.setItem(key, JSON.stringify({ text: "half an answer", attachments: [] })),
    `coterie.thread.${ana.id}.g:${climbers.id}.${message.id}`,
  );
  await ana.page.getByRole("link", { name: "Account" }).click();
  await ana.presses("Log out: This browser");
  await question(ana).waitFor();
});

test("the page after a log-out moves nothing when the server answers", async (t) => {
  const world = await World.start(t);
  const ana = await world.visitor("Ana");
  await ana.registers();
  await ana.isConnected();
  const asked = ana.page.waitForRequest(/\/auth\/options$/);
  /** @type {() => void} */
  let answers = () => {};
  const held = new Promise((resolve) => {
    answers = () => resolve(undefined);
  });
  await ana.page.route(/\/auth\/options$/, async (route) => {
    await held;
    await route.continue();
  });
  await ana.logsOut();
  await asked;
  // What was offered before the log-in is offered at once.
  await ana.page.getByRole("button", { name: "Create an account" }).waitFor();
  const answered = ana.page.waitForResponse(/\/auth\/options$/);
  answers();
  await answered;
});
