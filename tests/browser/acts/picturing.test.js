/** Pictures: in messages, of people and of groups. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { becomes } from "../eventually.js";
import { PIXEL } from "../paint.js";
import { World } from "../world.js";

/** @typedef {import("../person.js").Person} Person */

const DIARY = { name: "diary.png", mimeType: "image/png", buffer: Buffer.from("Dear diary") };

/** The picture has come: its pixels are there, once the person has scrolled to it. */
async function seesPicture(/** @type {Person} */ person, /** @type {string} */ selector) {
  await person.page.waitForFunction((wanted) => {
    const image = /** @type {HTMLImageElement | null} */ (document.querySelector(wanted));
    image?.scrollIntoView({ block: "nearest" });
    return Boolean(image?.complete && image.naturalWidth > 0);
  }, selector);
}

test("a picture goes with a message, and opens large", async (t) => {
  const world = await World.start(t);
  const [ana, ben] = await world.people("Ana", "Ben");
  await ana.hasGroup("Climbers", ben);
  await ben.opens("Climbers");
  await ana.opens("Climbers");
  await ana.chooses(PIXEL);
  await ana.page.getByRole("button", { name: "Remove pixel.png" }).waitFor();
  // Until it has arrived there, the message waits for it.
  await ana.page.locator(".tray-ready").waitFor();
  await ana.writes("the north wall");
  await ana.knowsItIsSent("the north wall");
  await ben.reads("the north wall");
  await seesPicture(ben, ".line .picture img");
  const picture = ben.page.getByRole("link", { name: "Picture from Ana" });
  await becomes(() => picture.getAttribute("href"), /\/images\/1x1\.png\.[0-9a-f]{32}\.large$/);
  await picture.click();
  const large = ben.page.getByRole("dialog", { name: "Pictures" });
  await becomes(() => large.getByRole("img").getAttribute("src"), /\.large$/);
  await becomes(() => ana.page.getByRole("button", { name: /^Remove/ }).count(), 0, "nothing waits any more");
});

test("a picture needs no words", async (t) => {
  const world = await World.start(t);
  const ana = await world.person("Ana");
  await ana.createsGroup("Climbers");
  await ana.chooses(PIXEL);
  await ana.page.getByRole("button", { name: "Send", exact: true }).click();
  await ana.page.locator(".line.stored").getByRole("link", { name: "Picture from you" }).waitFor();
  await ana.inList(/You: Picture/).waitFor();
});

/** Drops files onto the conversation, or pastes them, as the browser would tell of it. */
async function gives(/** @type {Person} */ person, /** @type {"drop" | "paste"} */ how, name = "wall.png") {
  const bytes = [...PIXEL.buffer];
  await person.page.evaluate(
    ([way, called, data]) => {
      const files = new DataTransfer();
      files.items.add(new File([new Uint8Array(data)], called, { type: "image/png" }));
      const facts = { bubbles: true, cancelable: true };
      const place = /** @type {Element} */ (
        document.querySelector(way === "drop" ? ".timeline" : ".composer-input")
      );
      if (way === "paste")
        return place.dispatchEvent(new ClipboardEvent("paste", { ...facts, clipboardData: files }));
      place.dispatchEvent(new DragEvent("dragenter", { ...facts, dataTransfer: files }));
      return place.dispatchEvent(new DragEvent("drop", { ...facts, dataTransfer: files }));
    },
    /** @type {const} */ ([how, name, bytes]),
  );
}

/** Holds what is uploaded until it is let go. */
async function holdsUploads(/** @type {Person} */ person) {
  /** @type {() => void} */
  let release = () => {};
  const held = new Promise((/** @type {(nothing?: undefined) => void} */ resolve) => {
    release = resolve;
  });
  await person.page.route("**/pictures", async (route) => {
    await held;
    await route.continue().catch(() => {});
  });
  return release;
}

test("pictures are dropped and pasted", async (t) => {
  const world = await World.start(t);
  const ana = await world.person("Ana");
  await ana.createsGroup("Climbers");
  await gives(ana, "drop", "dropped.png");
  await gives(ana, "paste", "pasted.png");
  await ana.page.getByRole("button", { name: "Remove dropped.png" }).waitFor();
  await ana.page.getByRole("button", { name: "Remove pasted.png" }).waitFor();
  await ana.page.locator(".tray-ready").nth(1).waitFor();
  await ana.presses("Send");
  await ana.page.locator(".line.stored .picture").nth(1).waitFor();
  await becomes(() => ana.page.locator(".drop").isVisible(), false);
});

/** What a browser calls that which is dragged is no word of a language. */
test("pictures are dropped in another language", async (t) => {
  const world = await World.start(t);
  const ana = await world.person("Ana");
  const climbers = await ana.hasGroup("Climbers");
  await ana.visits("/#/account");
  await ana.page.getByLabel("Language").selectOption("Deutsch");
  await ana.sees("Verbunden");
  await ana.visits(`/#/groups/${climbers.id}`);
  await ana.page.getByLabel("Nachricht an Climbers").waitFor();
  await gives(ana, "drop", "gefallen.png");
  await ana.page.locator(".tray-ready").waitFor();
});

test("sending does not wait for a running upload", async (t) => {
  const world = await World.start(t);
  const ana = await world.person("Ana");
  await ana.createsGroup("Climbers");
  await ana.createsGroup("Book club");
  const release = await holdsUploads(ana);
  await gives(ana, "paste");
  await ana.page.getByRole("progressbar", { name: "Uploading wall.png" }).waitFor();
  await ana.writes("the north wall");
  await ana.sees("Sends once uploaded");
  // Meanwhile one may go elsewhere.
  await ana.opens("Climbers");
  release();
  await ana.inList(/Book club.*You: the north wall/s).waitFor();
  await ana.opens("Book club");
  await ana.knowsItIsSent("the north wall");
  await becomes(() => ana.page.locator(".line .picture").count(), 1);
  await becomes(() => ana.composer.inputValue(), "");
});

test("an upload can be stopped, and what was written goes without it", async (t) => {
  const world = await World.start(t);
  const ana = await world.person("Ana");
  await ana.createsGroup("Climbers");
  const stopped = ana.page.waitForEvent("requestfailed", (request) => request.url().endsWith("/pictures"));
  const release = await holdsUploads(ana);
  await gives(ana, "paste");
  await ana.composer.fill("without it");
  await ana.presses("Remove wall.png");
  await stopped;
  release();
  await ana.presses("Send");
  await ana.knowsItIsSent("without it");
});

test("a non-image shows an error and can be removed", async (t) => {
  const world = await World.start(t);
  const ana = await world.person("Ana");
  await ana.createsGroup("Climbers");
  await ana.chooses(DIARY);
  await ana.isTold("This is not a JPEG, PNG, GIF or WebP image.");
  await ana.composer.fill("dear diary");
  await becomes(() => ana.page.getByRole("button", { name: "Send", exact: true }).isDisabled(), true);
  await ana.presses("Remove diary.png");
  await ana.writes("dear diary");
  await ana.knowsItIsSent("dear diary");
});

test("people and groups have pictures", async (t) => {
  const world = await World.start(t);
  const [ana, ben] = await world.people("Ana", "Ben");
  await ana.hasGroup("Climbers", ben);
  await ben.opens("Climbers");
  await ana.opens("Climbers");
  await ana.presses("Your picture");
  await ana.presses("Save picture");
  await ana.sees("Choose a picture.");
  await ana.page.getByLabel("Picture", { exact: true }).setInputFiles(PIXEL);
  await ana.presses("Save picture");
  await seesPicture(ana, ".me-picture img");
  await ben.opensMembers();
  await seesPicture(ben, ".member .avatar img");

  await ben.presses("Group picture");
  await ben.page.getByLabel("Picture", { exact: true }).setInputFiles(PIXEL);
  await ben.presses("Save picture");
  await seesPicture(ana, ".head-avatar img");
  await seesPicture(ben, ".groups .avatar img");
});

test("a file is dropped, named with its size, and comes down as it was", async (t) => {
  const world = await World.start(t);
  const [ana, ben] = await world.people("Ana", "Ben");
  await ana.hasGroup("Climbers", ben);
  await ben.opens("Climbers");
  await ana.opens("Climbers");
  const plan = { name: "plan.txt", mimeType: "text/plain", buffer: Buffer.from("rope at six\n") };
  await ana.chooses(plan);
  await ana.page.locator(".tray-ready").waitFor();
  await ana.page.getByRole("button", { name: "Send", exact: true }).click();
  const card = ben.page.locator(".line .file");
  await card.waitFor();
  await becomes(() => card.textContent(), /plan\.txt12 bytes/);
  const download = ben.page.waitForEvent("download");
  await card.getByRole("button", { name: "Download plan.txt" }).click();
  const down = await download;
  await becomes(async () => down.suggestedFilename(), "plan.txt");
  const { readFile } = await import("node:fs/promises");
  await becomes(async () => (await readFile(await down.path())).toString(), "rope at six\n");
  // Sound is played where it is.
  const silence = Buffer.from("UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=", "base64");
  await ana.chooses({ name: "note.wav", mimeType: "audio/wav", buffer: silence });
  await ana.page.locator(".tray-ready").waitFor();
  await ana.page.getByRole("button", { name: "Send", exact: true }).click();
  const asked = ben.page.waitForRequest(/signature=/);
  await ben.page.getByRole("button", { name: "Play note.wav" }).click();
  await asked;
});

test("a large upload resumes after a cut", async (t) => {
  const { world, ana, ben, climbers } = await World.climbing(t);
  await ben.opens("Climbers");
  await ana.opens("Climbers");
  const buffer = Buffer.alloc(2_000_000, "rope at six. ");
  /** Where each part began. @type {number[]} */
  const offsets = [];
  await ana.page.route("**/v3/uploads/*", async (route) => {
    const request = route.request();
    if (request.method() !== "PATCH") return route.continue();
    offsets.push(Number(request.headers()["upload-offset"]));
    if (offsets.length > 1) return route.continue();
    // Half of it arrives, and then the line is cut.
    await fetch(request.url(), {
      method: "PATCH",
      headers: { "X-Access-Token": ana.token, "Upload-Offset": "0", "Upload-Complete": "?0" },
      body: buffer.subarray(0, 1_000_000),
    });
    return route.abort();
  });
  await ana.chooses({ name: "ropes.txt", mimeType: "text/plain", buffer });
  await ana.composer.press("Enter");
  await ben.sees("ropes.txt");
  await becomes(async () => offsets, [0, 1_000_000]);
  const [{ attachments }] = (await ana.call("GET", `/v3/groups/${climbers.id}/messages?limit=1`)).messages;
  const place = `${world.server.url}/v3/files/${climbers.id}/${attachments[0].file_id}`;
  const loaded = async () => (await fetch(place, { headers: { "X-Access-Token": ben.token } })).arrayBuffer();
  await becomes(async () => buffer.equals(Buffer.from(await loaded())), true);
});

test("files beyond the limit are named", async (t) => {
  const world = await World.start(t);
  const ana = await world.person("Ana");
  await ana.createsGroup("Climbers");
  const wall = (/** @type {number} */ at) => ({ ...PIXEL, name: `wall-${at}.png` });
  await ana.chooses(...Array.from({ length: 30 }, (_, at) => wall(at + 1)));
  await ana.isTold(
    "A message can have up to 25 files. Not added: wall-26.png, wall-27.png, wall-28.png and 2 more.",
  );
  await becomes(() => ana.page.locator(".tray-ready").count(), 25);
  await ana.chooses(wall(31));
  await ana.isTold("A message can have up to 25 files. Not added: wall-31.png.");
  await ana.writes("every wall");
  await ana.knowsItIsSent("every wall");
});

/** A second of silence. */
function silence() {
  const sound = Buffer.alloc(44 + 16_000);
  sound.write("RIFF", 0);
  sound.writeUInt32LE(36 + 16_000, 4);
  sound.write("WAVEfmt ", 8);
  for (const [at, value] of /** @type {const} */ ([
    [16, 16],
    [24, 8_000],
    [28, 16_000],
    [40, 16_000],
  ])) {
    sound.writeUInt32LE(value, at);
  }
  for (const [at, value] of /** @type {const} */ ([
    [20, 1],
    [22, 1],
    [32, 2],
    [34, 16],
  ])) {
    sound.writeUInt16LE(value, at);
  }
  sound.write("data", 36);
  return sound;
}

test("a sound plays below its name in the own bubble", async (t) => {
  const { ana } = await World.climbing(t);
  await ana.opens("Climbers");
  const plan = `${"the plan for the north wall ".repeat(4)}.txt`;
  await ana.chooses(
    { name: "wind.wav", mimeType: "audio/wav", buffer: silence() },
    { name: plan, mimeType: "text/plain", buffer: Buffer.from("rope at six") },
  );
  await becomes(() => ana.page.locator(".tray-ready").count(), 2);
  await ana.writes("listen");
  await ana.knowsItIsSent("listen");
  const card = ana.page.locator(".file", { hasText: "wind.wav" });
  const colour = (/** @type {import("playwright-core").Locator} */ place) =>
    place.evaluate((node) => getComputedStyle(node).color);
  const download = card.getByRole("button", { name: "Download wind.wav" });
  await ana.composer.hover();
  const bubble = ana.page.locator(".mine .bubble");
  // A bubble that is drawn again at that moment has no colour.
  await becomes(
    async () => (await colour(bubble)) !== "" && (await colour(download)) === (await colour(bubble)),
    true,
  );
  await card.getByRole("button", { name: "Play wind.wav" }).click();
  await card.getByRole("slider", { name: "Position in wind.wav" }).waitFor();
  const name = card.locator(".file-name");
  const lineHeights = () => name.evaluate((node) => node.getClientRects()[0].height / 24);
  await becomes(async () => (await lineHeights()) < 2, true);
});

test("many waiting files leave room to read and write on a phone", async (t) => {
  const world = await World.start(t);
  const ana = await world.person("Ana", { phone: true });
  const climbers = await ana.hasGroup("Climbers");
  await ana.visits(`/#/groups/${climbers.id}`);
  await ana.isReading("Climbers");
  const release = await holdsUploads(ana);
  await ana.chooses(...Array.from({ length: 25 }, (_, at) => ({ ...PIXEL, name: `wall-${at}.png` })));
  await becomes(() => ana.page.locator(".tray-item").count(), 25);
  const heights = () =>
    ana.page.evaluate(() => {
      const box = (/** @type {string} */ name) => document.querySelector(name)?.getBoundingClientRect();
      const [timeline, send] = [box(".timeline"), box(".composer-send")];
      return (timeline?.height ?? 0) > 200 && (send?.bottom ?? Infinity) <= innerHeight;
    });
  await becomes(heights, true);
  await ana.writes("the north wall");
  await ana.sees("Sends once uploaded");
  await becomes(heights, true);
  const width = await ana.composer.evaluate((node) => node.clientWidth);
  assert.ok(width > 140, `the field is ${width} px wide`);
  release();
  await ana.knowsItIsSent("the north wall");
});
