/** Pictures as large as the window, and everything that a conversation has beside its words. */

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { violations } from "../axe.js";
import { becomes } from "../eventually.js";
import { painted } from "../paint.js";
import { World } from "../world.js";

/** @typedef {import("../person.js").Person} Person */

/** Sends a picture of this width; all widths are different, so that one knows which it is. */
async function shows(
  /** @type {Person} */ person,
  /** @type {{ id: string }} */ group,
  /** @type {number[]} */ ...widths
) {
  const urls = await Promise.all(
    widths.map(async (width) => {
      const headers = { "X-Access-Token": person.token, "Content-Type": "image/png" };
      const body = new Uint8Array(painted(width, 20, [width % 256, 120, 60]));
      const answer = await fetch(`${person.world.server.url}/pictures`, { method: "POST", headers, body });
      return (await answer.json()).payload.url;
    }),
  );
  const message = {
    source_guid: randomUUID(),
    attachments: urls.map((url) => ({ type: "image", url })),
  };
  return (await person.call("POST", `/v3/groups/${group.id}/messages`, { message })).message;
}

const large = (/** @type {Person} */ person) => person.page.getByRole("dialog", { name: "Pictures" });
const shown = (/** @type {Person} */ person) => () =>
  large(person).locator(".lightbox-picture").getAttribute("width");

test("a picture opens large, and the keys lead to those before and after it", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  await shows(ben, climbers, 31);
  await ben.says(climbers, "and from the other side");
  await shows(ana, climbers, 32, 33);
  await ana.opens("Climbers");
  await ana.page.getByRole("link", { name: "Picture from you, 2 of 2" }).click();
  await becomes(shown(ana), "33");
  const { keyboard } = ana.page;
  await keyboard.press("ArrowLeft");
  await becomes(shown(ana), "32");
  await keyboard.press("ArrowLeft");
  await becomes(shown(ana), "31");
  await large(ana).getByText("Ben", { exact: true }).waitFor();
  await keyboard.press("ArrowLeft");
  await becomes(shown(ana), "31", "there is none before");
  await keyboard.press("End");
  await becomes(shown(ana), "33");
  await large(ana).getByRole("button", { name: "Previous picture" }).click();
  await becomes(shown(ana), "32");
  await keyboard.press("Escape");
  await large(ana).waitFor({ state: "detached" });
  const focused = () => ana.page.evaluate(() => document.activeElement?.className);
  await becomes(focused, "picture", "the focus is where it was");
});

/** How much the shown picture is enlarged. */
const scale = (/** @type {Person} */ person) => () =>
  large(person)
    .locator(".lightbox-picture")
    .evaluate((node) => new DOMMatrix(getComputedStyle(node).transform).a);

test("a picture is enlarged by buttons, keys, the wheel and two clicks", async (t) => {
  const { ana, climbers } = await World.climbing(t);
  await shows(ana, climbers, 31, 32);
  await ana.opens("Climbers");
  await ana.page.getByRole("link", { name: "Picture from you, 1 of 2" }).click();
  await becomes(shown(ana), "31");
  const picture = large(ana).locator(".lightbox-picture");
  const less = large(ana).getByRole("button", { name: "Zoom out" });
  await becomes(() => less.getAttribute("aria-disabled"), "true");
  await large(ana).getByRole("button", { name: "Zoom in" }).click();
  await becomes(scale(ana), 1.5);
  await ana.page.keyboard.press("+");
  await becomes(scale(ana), 2.25);
  await ana.page.keyboard.press("0");
  await becomes(scale(ana), 1);
  await picture.hover();
  await ana.page.mouse.wheel(0, -300);
  await becomes(async () => String((await scale(ana)()) > 1.5), "true");
  await less.click();
  await less.click();
  await becomes(scale(ana), 1);
  await picture.dblclick();
  await becomes(scale(ana), 2.5);
  await ana.page.keyboard.press("ArrowRight");
  await becomes(shown(ana), "32");
  await becomes(scale(ana), 1, "the next one is whole");
});

test("two fingers enlarge a picture, and one moves it", async (t) => {
  const world = await World.start(t);
  const ana = await world.person("Ana", { phone: true });
  const climbers = await ana.hasGroup("Climbers");
  await shows(ana, climbers, 380, 381);
  await ana.opens("Climbers");
  await ana.page.getByRole("link", { name: "Picture from you, 1 of 2" }).tap();
  await becomes(shown(ana), "380");
  const session = await ana.page.context().newCDPSession(ana.page);
  const touch = (
    /** @type {"touchStart" | "touchMove" | "touchEnd"} */ type,
    /** @type {number[]} */ ...places
  ) =>
    session.send("Input.dispatchTouchEvent", {
      type,
      touchPoints: places.map((x, id) => ({ x, y: 400, id })),
    });
  await touch("touchStart", 150, 250);
  await touch("touchMove", 100, 300);
  await touch("touchEnd");
  await becomes(scale(ana), 2);
  await touch("touchStart", 300);
  await touch("touchMove", 200);
  await touch("touchEnd");
  await becomes(shown(ana), "380", "it moves, and leads to no other one");
  await becomes(
    () =>
      large(ana)
        .locator(".lightbox-picture")
        .evaluate((node) => new DOMMatrix(getComputedStyle(node).transform).e < 0),
    true,
  );
});

test("the lightbox shows the words of the message, and downloads the original", async (t) => {
  const { ana, climbers } = await World.climbing(t);
  await shows(ana, climbers, 31);
  const { id } = (await ana.call("GET", `/v3/groups/${climbers.id}/messages?limit=1`)).messages[0];
  await ana.call("PUT", `/v3/conversations/${climbers.id}/messages/${id}`, { text: "from the summit" });
  await ana.opens("Climbers");
  await ana.page.getByRole("link", { name: "Picture from you" }).click();
  await large(ana).getByText("from the summit", { exact: true }).waitFor();
  const download = ana.page.waitForEvent("download");
  await large(ana).getByRole("link", { name: "Download the picture" }).click();
  assert.equal((await download).suggestedFilename(), "Picture from Ana.png");
  assert.deepEqual(await violations(ana), []);
});

test("pictures from before what is loaded come while one looks back", async (t) => {
  const world = await World.start(t);
  const ana = await world.person("Ana");
  const climbers = await ana.hasGroup("Climbers");
  for (const width of [41, 42, 43]) await shows(ana, climbers, width);
  for (let at = 1; at <= 130; at += 1) await ana.says(climbers, `step ${at}`);
  await shows(ana, climbers, 44);
  await ana.opens("Climbers");
  await ana.page.getByRole("link", { name: "Picture from you" }).last().click();
  await becomes(shown(ana), "44");
  for (const width of ["43", "42", "41"]) {
    await becomes(() => large(ana).locator(".lightbox-before").getAttribute("aria-disabled"), "false");
    await ana.page.keyboard.press("ArrowLeft");
    await becomes(shown(ana), width);
  }
  await large(ana).getByRole("link", { name: "Show in conversation" }).click();
  await large(ana).waitFor({ state: "detached" });
  await ana.page.locator(".line:focus .picture").waitFor();
});

test("a finger wipes from picture to picture", async (t) => {
  const world = await World.start(t);
  const ana = await world.person("Ana", { phone: true });
  const climbers = await ana.hasGroup("Climbers");
  await shows(ana, climbers, 51);
  await shows(ana, climbers, 52);
  await ana.opens("Climbers");
  await ana.page.getByRole("link", { name: "Picture from you" }).last().tap();
  await becomes(shown(ana), "52");
  /** A touch as the browser itself makes one. */
  const wipes = async (/** @type {number} */ from, /** @type {number} */ to) => {
    const session = await ana.page.context().newCDPSession(ana.page);
    const at = (/** @type {number} */ x) => ({ touchPoints: [{ x, y: 400 }] });
    await session.send("Input.dispatchTouchEvent", { type: "touchStart", ...at(from) });
    await session.send("Input.dispatchTouchEvent", { type: "touchMove", ...at((from + to) / 2) });
    await session.send("Input.dispatchTouchEvent", { type: "touchMove", ...at(to) });
    await session.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
    await session.detach();
  };
  await wipes(80, 300);
  await becomes(shown(ana), "51");
  await wipes(300, 80);
  await becomes(shown(ana), "52");
});

test("the gallery lists content by kind and links to messages", async (t) => {
  const { world, ana, ben, climbers } = await World.climbing(t);
  await shows(ben, climbers, 61);
  await ben.says(climbers, "the topo: https://example.org/topo.pdf");
  await shows(ana, climbers, 62, 63);
  const files = `${world.server.url}/v3/conversations/${climbers.id}/files?name=plan.txt`;
  const headers = { "X-Access-Token": ben.token, "Content-Type": "text/plain" };
  const sent = await fetch(files, { method: "POST", headers, body: "rope at six\n" });
  const { file } = (await sent.json()).response;
  const message = { source_guid: randomUUID(), text: "read this", attachments: [file] };
  await ben.call("POST", `/v3/groups/${climbers.id}/messages`, { message });
  await ana.opens("Climbers");
  await ana.presses("Gallery");
  const gallery = ana.page.getByRole("complementary", { name: "Gallery" });
  const pictures = gallery.getByRole("button", { name: /^Picture from/ });
  await becomes(() => pictures.count(), 3);
  await pictures.first().click();
  await becomes(shown(ana), "62", "the newest message comes first");
  await ana.page.keyboard.press("ArrowLeft");
  await becomes(shown(ana), "61");
  await ana.page.keyboard.press("Escape");
  await large(ana).waitFor({ state: "detached" });
  await gallery.getByRole("radio", { name: "Videos" }).check();
  await gallery.getByText("No videos yet.").waitFor();
  await gallery.getByRole("radio", { name: "Links" }).check();
  await gallery.getByRole("link", { name: "https://example.org/topo.pdf" }).waitFor();
  await gallery.getByRole("radio", { name: "Files" }).check();
  const download = ana.page.waitForEvent("download");
  await gallery.getByRole("button", { name: "Download plan.txt" }).click();
  assert.equal((await download).suggestedFilename(), "plan.txt");
  await gallery.getByRole("link", { name: "Show in conversation" }).click();
  await gallery.waitFor({ state: "hidden" });
  await ana.line("read this").and(ana.page.locator(":focus")).waitFor();
});

test("failed pictures reload automatically", async (t) => {
  const { world, ana, ben, climbers } = await World.climbing(t);
  await shows(ben, climbers, 61);
  let isLost = true;
  await ana.page.route("**/images/**", (route) => (isLost ? route.abort() : route.continue()));
  await ana.opens("Climbers");
  const widths = () =>
    ana.page
      .locator(".picture img")
      .evaluateAll((images) => images.map((image) => /** @type {HTMLImageElement} */ (image).naturalWidth));
  const failed = ana.page.waitForEvent("requestfailed");
  await becomes(widths, [0]);
  await failed;
  isLost = false;
  await becomes(widths, [61], "it is asked for again");

  isLost = true;
  const again = ana.page.waitForEvent("requestfailed", (request) => request.url().includes("/images/62x"));
  await shows(ben, climbers, 62);
  await again;
  await world.server.isKilled();
  await ana.sees("Offline. Reconnecting…");
  isLost = false;
  await world.server.starts();
  await becomes(widths, [61, 62], "the line is back");
});
