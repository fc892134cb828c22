/** The client as a program of its own, and what its icon tells. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { becomes } from "../eventually.js";
import { World } from "../world.js";

test("browsers can install the client: its description and its icons are there", async (t) => {
  const world = await World.start(t);
  const ana = await world.visitor("Ana");
  const session = await ana.page.context().newCDPSession(ana.page);
  const { data, errors } = await session.send("Page.getAppManifest");
  assert.deepEqual(errors, []);
  const { icons, name, display } = JSON.parse(data ?? "");
  assert.deepEqual([name, display], ["Coterie", "standalone"]);
  for (const { src, sizes, type } of icons) {
    const answer = await fetch(world.server.url + src);
    assert.equal(answer.headers.get("Content-Type"), type);
    if (type !== "image/png") continue;
    const bytes = Buffer.from(await answer.arrayBuffer());
    assert.equal(`${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`, sizes);
  }
});

test("the icon of the tab and of the program says that something is unread", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  const book = await ana.hasGroup("Book club", ben);
  await ben.page.addInitScript(() => {
    const told = /** @type {(number | null)[]} */ ([]);
    Object.assign(window, { told });
    navigator.setAppBadge = async (count) => void told.push(count ?? 0);
    navigator.clearAppBadge = async () => void told.push(null);
  });
  await ben.page.reload();
  await ben.isConnected();
  const icon = () => ben.page.locator("link[rel=icon]").getAttribute("href");
  const told = () => ben.page.evaluate(() => /** @type {any} */ (window).told.at(-1) ?? null);
  // That one was added is news too.
  await ben.opens("Book club");
  await ben.page.locator(".line, .system").first().waitFor();
  await ben.opens("Climbers");
  await becomes(icon, /icon\.svg$/);
  await ana.says(book, "chapter four");
  await becomes(icon, /^data:image\/svg/);
  await becomes(told, 1);
  await ben.opens("Book club");
  await ben.reads("chapter four");
  await becomes(icon, /icon\.svg$/);
  await becomes(told, null);
  await ana.says(climbers, "rope at six");
  await becomes(told, 1);
});
