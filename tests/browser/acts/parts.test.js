/** The client comes in parts: each when it is used, each language where it is spoken. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { becomes } from "../eventually.js";
import { World } from "../world.js";

/** The names of the scripts that a page asks for while something happens. */
async function scripts(
  /** @type {import("../person.js").Person} */ person,
  /** @type {() => Promise<unknown>} */ happens,
) {
  /** @type {string[]} */
  const names = [];
  const note = (/** @type {import("playwright-core").Request} */ request) => {
    const name = new URL(request.url()).pathname.split("/").at(-1) ?? "";
    if (name.endsWith(".js")) names.push(name);
  };
  person.page.on("request", note);
  await happens();
  person.page.off("request", note);
  return [...new Set(names)].sort();
}

test("a language comes only where it is spoken", async (t) => {
  const world = await World.start(t);
  const ana = await world.person("Ana");
  const always = ["boot.js", "client.js", "shared.js", "shell.js"];
  assert.deepEqual(await scripts(ana, () => ana.isSignedIn()), always);
  await ana.page.evaluate(() => localStorage.setItem("coterie.look", '{"language":"de"}'));
  const isGerman = () => ana.page.getByRole("button", { name: "Neue Gruppe" }).first().waitFor();
  const german = await scripts(ana, async () => {
    await ana.page.reload();
    await isGerman();
  });
  assert.deepEqual(german, [...always, "words_de.js"]);

  await becomes(() => ana.page.evaluate(isKept), true);
  await ana.page.context().setOffline(true);
  await ana.page.reload();
  await isGerman();
});

/** Whether this device has the page, its language and what was last read. */
async function isKept() {
  const shell = await caches.open("coterie.shell");
  const names = (await shell.keys()).map(({ url }) => url);
  const worker = await navigator.serviceWorker.getRegistration();
  const hasRows = (await indexedDB.databases()).some(({ name }) => name === "coterie");
  const hasPage = Boolean(await shell.match("/")) && names.some((url) => url.includes("all_windows"));
  return hasPage && hasRows && Boolean(worker?.active) && names.some((url) => url.includes("words_de"));
}

test("a visit that is not the first asks for the snapshot and nothing else", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  for (let at = 1; at <= 70; at += 1) await ben.says(climbers, `line ${at}`);
  await ana.call("POST", `/v3/blocks?user=${ana.id}&otherUser=${ben.id}`);
  await ana.call("PUT", `/v3/drafts/${climbers.id}`, { text: "rope at" });
  await ana.page.setViewportSize({ width: 1600, height: 1200 });
  await ana.opens("Climbers");
  await ana.page.getByRole("log", { name: "Messages", exact: true }).press("End");
  const isRead = async () => (await ana.call("GET", "/v3/sync")).groups[0].unread;
  await becomes(isRead, 0);
  await becomes(() => ana.page.evaluate(isClientKept), true);

  /** @type {string[]} */
  const asked = [];
  ana.page.on("request", (request) => {
    const { pathname, search } = new URL(request.url());
    if (!pathname.startsWith("/assets/")) asked.push(pathname + search);
  });
  await ana.page.reload();
  await ana.isConnected();
  await ana.reads("line 70");
  await ana.reads("line 15");
  await becomes(() => ana.composer.inputValue(), "rope at");
  assert.deepEqual(asked, ["/", `/v3/sync?open=${climbers.id}`]);
});

/** Whether the next visit needs nothing of the client itself. */
async function isClientKept() {
  const shell = await caches.open("coterie.shell");
  const worker = await navigator.serviceWorker.getRegistration();
  return Boolean(await shell.match("/")) && Boolean(worker?.active);
}

/** From the next load on, nothing comes from a worker or from what one kept. */
async function hasNoWorker(/** @type {import("../person.js").Person} */ { page }) {
  await page.context().addInitScript(() => {
    Object.defineProperty(navigator, "serviceWorker", { value: undefined });
  });
  await page.evaluate(async () => {
    for (const one of await navigator.serviceWorker.getRegistrations()) await one.unregister();
    for (const name of await caches.keys()) await caches.delete(name);
  });
}

test("a failed part shows an error and loads on retry", async (t) => {
  const world = await World.start(t);
  const ana = await world.person("Ana");
  await ana.page.route(/all_windows\.js/, (route) => route.abort());
  await hasNoWorker(ana);
  await ana.page.reload();
  await ana.isConnected();
  await ana.page.getByRole("button", { name: "New group" }).first().click();
  await ana.isTold("could not be loaded");
  await ana.page.unroute(/all_windows\.js/);
  await ana.page.getByRole("button", { name: "New group" }).first().click();
  await ana.page.getByRole("dialog", { name: "New group" }).waitFor();
});

test("a failed page shows an error and loads on retry", async (t) => {
  const world = await World.start(t);
  const ana = await world.person("Ana");
  await ana.page.route(/\/account_view\.js/, (route) => route.abort());
  await hasNoWorker(ana);
  await ana.page.reload();
  await ana.isConnected();
  await ana.visits("/#/account");
  await ana.isTold("could not be loaded");
  await ana.page.unroute(/\/account_view\.js/);
  await ana.presses("Try again");
  await ana.page.getByRole("heading", { name: "Appearance" }).waitFor();
});
