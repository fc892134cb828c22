/** Pictures that are cropped and turned before they are sent. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { violations } from "../axe.js";
import { becomes } from "../eventually.js";
import { png } from "../paint.js";
import { World } from "../world.js";

/** @typedef {import("../person.js").Person} Person */

const [RED, BLUE, GREEN, WHITE] = [
  [200, 0, 0],
  [0, 0, 200],
  [0, 200, 0],
  [255, 255, 255],
];

/** 400 × 240 pixels: red and blue above green and white. */
function wall() {
  const row = (/** @type {number[]} */ left, /** @type {number[]} */ right) =>
    Buffer.from([0, ...Array(200).fill(left).flat(), ...Array(200).fill(right).flat()]);
  const rows = [...Array(120).fill(row(RED, BLUE)), ...Array(120).fill(row(GREEN, WHITE))];
  return { name: "wall.png", mimeType: "image/png", buffer: png(400, 240, Buffer.concat(rows)) };
}

const editor = (/** @type {Person} */ person) =>
  person.page.getByRole("dialog", { name: "Edit picture", exact: true });
const grip = (/** @type {Person} */ person, /** @type {string} */ name) =>
  editor(person).getByRole("slider", { name, exact: true });

/** The picture in the tray has this size: the server says it in the picture's name. */
const hasInTray = (/** @type {Person} */ person, /** @type {string} */ size) =>
  becomes(
    () => person.page.locator(".tray-ready .tray-handle img").first().getAttribute("src"),
    new RegExp(`/images/${size}\\.`),
  );

/** Opens the editor of a picture, and waits for its pixels. */
async function edits(/** @type {Person} */ person, /** @type {string} */ name, size = "400 × 240") {
  await person.presses(`Edit ${name}`);
  await editor(person).getByText(`${size} pixels`).waitFor();
}

async function isDone(/** @type {Person} */ person) {
  await editor(person).getByRole("button", { name: "Done", exact: true }).click();
  await editor(person).waitFor({ state: "detached" });
}

/** Colours of the newest picture of the conversation, at these shares of its width and height. */
const colours = (/** @type {Person} */ person, /** @type {[number, number][]} */ places) =>
  person.page.evaluate(async (wanted) => {
    const link = /** @type {HTMLAnchorElement | null} */ (
      [...document.querySelectorAll(".line .picture")].at(-1)
    );
    if (!link) return [];
    const image = new Image();
    image.src = new URL(link.href).pathname;
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
    const context = canvas.getContext("2d", { willReadFrequently: true });
    context?.drawImage(image, 0, 0);
    return wanted.map(([x, y]) => [
      ...(context?.getImageData(x * canvas.width, y * canvas.height, 1, 1).data.slice(0, 3) ?? []),
    ]);
  }, places);

test("a picture is cropped by mouse, turned and sent", async (t) => {
  const { ana, ben } = await World.climbing(t);
  await ben.opens("Climbers");
  await ana.opens("Climbers");
  await ana.chooses(wall());
  await hasInTray(ana, "400x240");
  await edits(ana, "wall.png");
  // To the middle of the picture.
  await grip(ana, "Right edge").dragTo(editor(ana).locator(".crop-stage"));
  await editor(ana).getByText("200 × 240 pixels").waitFor();
  await becomes(() => grip(ana, "Right edge").getAttribute("aria-valuetext"), "50%");
  await ana.presses("Turn right");
  await editor(ana).getByText("240 × 200 pixels").waitFor();
  await isDone(ana);
  await hasInTray(ana, "240x200");
  await ana.writes("the north wall");
  await ana.knowsItIsSent("the north wall");
  await ben.reads("the north wall");
  const picture = ben.page.getByRole("link", { name: "Picture from Ana" });
  await becomes(() => picture.getAttribute("href"), /\/images\/240x200\.png\./);
  const sides = /** @type {[number, number][]} */ ([
    [0.25, 0.5],
    [0.75, 0.5],
  ]);
  await becomes(() => colours(ben, sides), [GREEN, RED]);
});

test("a corner and the frame are dragged", async (t) => {
  const { ana } = await World.climbing(t);
  await ana.opens("Climbers");
  await ana.chooses(wall());
  await edits(ana, "wall.png");
  await grip(ana, "Bottom right corner").dragTo(editor(ana).locator(".crop-stage"));
  await editor(ana).getByText("200 × 120 pixels").waitFor();
  // From its middle to the middle of the picture.
  await grip(ana, "Frame").dragTo(editor(ana).locator(".crop-shade"), { force: true });
  await becomes(
    () => grip(ana, "Frame").getAttribute("aria-valuetext"),
    "25% from the left, 25% from the top",
  );
  await editor(ana).getByText("200 × 120 pixels").waitFor();
  assert.deepEqual(await violations(ana), []);
  await ana.presses("Whole picture");
  await editor(ana).getByText("400 × 240 pixels").waitFor();
});

test("a picture is cropped by keyboard, and the draft keeps it", async (t) => {
  const { ana, climbers } = await World.climbing(t);
  await ana.opens("Climbers");
  await ana.chooses(wall());
  await edits(ana, "wall.png");
  const left = grip(ana, "Left edge");
  await left.press("Shift+ArrowRight");
  await left.press("ArrowRight");
  await left.press("ArrowRight");
  await becomes(() => left.getAttribute("aria-valuetext"), "12%");
  await left.press("ArrowLeft");
  await left.press("ArrowLeft");
  await grip(ana, "Bottom edge").press("Shift+ArrowUp");
  await editor(ana).getByText("360 × 216 pixels").waitFor();
  await grip(ana, "Frame").press("ArrowDown");
  await becomes(
    () => grip(ana, "Frame").getAttribute("aria-valuetext"),
    "10% from the left, 1% from the top",
  );
  await editor(ana).getByRole("radio", { name: "Square" }).check();
  await editor(ana).getByText("216 × 216 pixels").waitFor();
  await isDone(ana);
  await hasInTray(ana, "216x216");
  // The focus is where it was before.
  const focused = () => ana.page.evaluate(() => document.activeElement?.getAttribute("aria-label"));
  await becomes(focused, "Edit wall.png");
  const draft = async () => (await ana.call("GET", `/v3/drafts/${climbers.id}`)).draft?.attachments?.[0]?.url;
  await becomes(draft, /\/images\/216x216\./);
  await ana.page.reload();
  await ana.isReading("Climbers");
  await hasInTray(ana, "216x216");
  // Its pixels come from the server now.
  await edits(ana, "Picture", "216 × 216");
  await grip(ana, "Top left corner").press("Shift+ArrowRight");
  await editor(ana).getByText("194 × 216 pixels").waitFor();
  await isDone(ana);
  await hasInTray(ana, "194x216");
});

test("cancel changes nothing, and neither does an unchanged picture", async (t) => {
  const { ana } = await World.climbing(t);
  await ana.opens("Climbers");
  let uploads = 0;
  await ana.page.route("**/pictures", (route) => {
    uploads += 1;
    return route.continue();
  });
  await ana.chooses(wall());
  await edits(ana, "wall.png");
  await ana.presses("Turn left");
  await editor(ana).getByText("240 × 400 pixels").waitFor();
  await ana.presses("Cancel");
  await editor(ana).waitFor({ state: "detached" });
  await edits(ana, "wall.png");
  await isDone(ana);
  await hasInTray(ana, "400x240");
  await ana.writes("the whole wall");
  await ana.knowsItIsSent("the whole wall");
  const picture = ana.page.getByRole("link", { name: "Picture from you" });
  await becomes(() => picture.getAttribute("href"), /\/images\/400x240\./);
  await becomes(async () => uploads, 1);
});

test("a changed picture keeps its place, and the one before if its upload fails", async (t) => {
  const { ana } = await World.climbing(t);
  await ana.opens("Climbers");
  await ana.chooses(wall(), { ...wall(), name: "ridge.png" });
  await becomes(() => ana.page.locator(".tray-ready").count(), 2);
  const names = () => ana.page.locator(".tray-ready .tray-name").allTextContents();
  await edits(ana, "wall.png");
  await ana.presses("Turn left");
  await isDone(ana);
  await hasInTray(ana, "240x400");
  await becomes(names, ["wall.png", "ridge.png"]);
  await ana.page.route("**/pictures", (route) =>
    route.fulfill({
      status: 400,
      json: { meta: { code: 400, errors: ["the picture is odd"] } },
    }),
  );
  await edits(ana, "wall.png", "240 × 400");
  await ana.presses("Turn left");
  await isDone(ana);
  await ana.isTold("The picture is odd.");
  await hasInTray(ana, "240x400");
  await becomes(names, ["wall.png", "ridge.png"]);
});

test("a finger drags an edge of the frame, also from beside its sign", async (t) => {
  const world = await World.start(t);
  const ana = await world.person("Ana", { phone: true });
  await ana.hasGroup("Climbers");
  await ana.opens("Climbers");
  await ana.chooses(wall());
  await edits(ana, "wall.png");
  const { x, y, middle } = await editor(ana).evaluate(async (dialog) => {
    await Promise.all(dialog.getAnimations({ subtree: true }).map(({ finished }) => finished));
    const box = dialog.querySelector(".crop-stage")?.getBoundingClientRect() ?? new DOMRect();
    return { x: box.right, y: box.top + box.height / 2, middle: box.left + box.width / 2 };
  });
  const session = await ana.page.context().newCDPSession(ana.page);
  const touch = (
    /** @type {"touchStart" | "touchMove" | "touchEnd"} */ type,
    /** @type {number[]} */ ...places
  ) =>
    session.send("Input.dispatchTouchEvent", { type, touchPoints: places.map((place) => ({ x: place, y })) });
  const beside = 20;
  await touch("touchStart", x - beside);
  await touch("touchMove", x - beside - 30);
  await touch("touchMove", middle - beside);
  await touch("touchEnd");
  await editor(ana).getByText("200 × 240 pixels").waitFor();
});

/** A JPEG of 64 × 32 pixels, red to the left and blue to the right, which a camera held on its side. */
async function photo(/** @type {Person} */ person) {
  const bytes = await person.page.evaluate(async () => {
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [64, 32];
    const context = canvas.getContext("2d");
    if (!context) return [];
    for (const [at, colour] of ["#c80000", "#0000c8"].entries()) {
      context.fillStyle = colour;
      context.fillRect(at * 32, 0, 32, 32);
    }
    const content = await new Promise((/** @type {(it: Blob | null) => void} */ resolve) =>
      canvas.toBlob(resolve, "image/jpeg", 0.95),
    );
    return [...new Uint8Array((await content?.arrayBuffer()) ?? new ArrayBuffer(0))];
  });
  // Orientation 6: the top of the scene is at the right of the pixels' rows.
  const exif = Buffer.from(
    "457869660000" + "4d4d002a00000008" + "0001" + "011200030000000100060000" + "00000000",
    "hex",
  );
  const head = Buffer.from([0xff, 0xe1, 0, exif.length + 2]);
  const buffer = Buffer.concat([Buffer.from(bytes.slice(0, 2)), head, exif, Buffer.from(bytes.slice(2))]);
  return { name: "photo.jpg", mimeType: "image/jpeg", buffer };
}

test("a photo is edited upright", async (t) => {
  const { ana } = await World.climbing(t);
  await ana.opens("Climbers");
  await ana.chooses(await photo(ana));
  await hasInTray(ana, "32x64");
  await edits(ana, "photo.jpg", "32 × 64");
  await grip(ana, "Left edge").dragTo(editor(ana).locator(".crop-stage"));
  await editor(ana).getByText("16 × 64 pixels").waitFor();
  await isDone(ana);
  await ana.writes("from the car park");
  await ana.knowsItIsSent("from the car park");
  const picture = ana.page.getByRole("link", { name: "Picture from you" });
  await becomes(() => picture.getAttribute("href"), /\/images\/16x64\.jpeg\./);
  const isRedAboveBlue = async () => {
    const [above, below] = await colours(ana, [
      [0.5, 0.2],
      [0.5, 0.8],
    ]);
    return above?.[0] > 150 && below?.[2] > 150;
  };
  await becomes(isRedAboveBlue, true);
});

test("a GIF is not offered for editing", async (t) => {
  const { ana } = await World.climbing(t);
  await ana.opens("Climbers");
  const buffer = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64");
  await ana.chooses({ name: "flag.gif", mimeType: "image/gif", buffer }, wall());
  await ana.page.getByRole("button", { name: "Edit wall.png" }).waitFor();
  await becomes(() => ana.page.locator(".tray-ready").count(), 2);
  await becomes(() => ana.page.getByRole("button", { name: /^Edit / }).count(), 1);
});

test("the frame follows the picture where the writing runs from right to left", async (t) => {
  const { ana, climbers } = await World.climbing(t);
  await ana.visits("/#/account");
  await ana.page.getByLabel("Language").selectOption("العربية");
  await ana.sees("متصل");
  await ana.visits(`/#/groups/${climbers.id}`);
  const chooser = ana.page.waitForEvent("filechooser");
  await ana.presses("إضافة صورة أو ملف");
  await (await chooser).setFiles(wall());
  await ana.page.getByRole("button", { name: /^تعديل .*wall\.png/ }).click();
  const right = ana.page.getByRole("slider", { name: "الحافة اليمنى", exact: true });
  await right.press("Shift+ArrowLeft");
  await becomes(() => right.getAttribute("aria-valuenow"), "90");
  await right.press("ArrowRight");
  await becomes(() => right.getAttribute("aria-valuenow"), "91");
  const stage = ana.page.locator(".crop-stage");
  await right.dragTo(stage);
  await becomes(() => right.getAttribute("aria-valuenow"), "50");
  const isLeft = () =>
    stage.evaluate((node) => {
      const [all, part] = [node, node.querySelector(".crop-frame")].map((it) => it?.getBoundingClientRect());
      return Boolean(all && part && Math.abs(all.left - part.left) < 2 && part.right < all.right - 50);
    });
  await becomes(isLeft, true);
});
