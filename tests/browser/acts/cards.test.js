/** Cards in messages: what polls, events, files and sounds show, and what can be done with them. */

import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { violations } from "../axe.js";
import { becomes } from "../eventually.js";
import { cutOff } from "../layout.js";
import { World } from "../world.js";

/** @typedef {import("../person.js").Person} Person */
/** @typedef {{ id: string }} Group */

async function asks(/** @type {Person} */ person, /** @type {Group} */ group, facts = {}) {
  const options = [{ title: "at six" }, { title: "at seven" }];
  const poll = { subject: "When?", options, expiration: 4_102_444_800, type: "single", visibility: "public" };
  return (await person.call("POST", `/v3/poll/${group.id}`, { ...poll, ...facts })).poll.data.id;
}

/** A second of sound that gets louder. */
function sound() {
  const length = 8_000;
  const wave = Buffer.alloc(44 + 2 * length);
  wave.write("RIFF", 0);
  wave.writeUInt32LE(36 + 2 * length, 4);
  wave.write("WAVEfmt ", 8);
  wave.writeUInt32LE(16, 16);
  wave.writeUInt16LE(1, 20);
  wave.writeUInt16LE(1, 22);
  wave.writeUInt32LE(length, 24);
  wave.writeUInt32LE(2 * length, 28);
  wave.writeUInt16LE(2, 32);
  wave.writeUInt16LE(16, 34);
  wave.write("data", 36);
  wave.writeUInt32LE(2 * length, 40);
  for (let at = 0; at < length; at += 1) wave.writeInt16LE(Math.round(at * Math.sin(at / 4)), 44 + 2 * at);
  return wave;
}

/** A page without anything on it. */
const PDF = Buffer.from(`%PDF-1.4
1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj
2 0 obj << /Type /Pages /Kids [3 0 R] /Count 1 >> endobj
3 0 obj << /Type /Page /Parent 2 0 R /MediaBox [0 0 300 400] >> endobj
4 0 obj << /Title (North wall) >> endobj
trailer << /Root 1 0 R /Info 4 0 R >>
%%EOF
`);

/** Sends a message with a file. */
async function sends(
  /** @type {Person} */ person,
  /** @type {Group} */ group,
  /** @type {{ name: string, type: string, body: string | Buffer }} */ { name, type, body },
  facts = {},
) {
  const url = `${person.world.server.url}/v3/conversations/${group.id}/files?name=${encodeURIComponent(name)}`;
  const headers = { "X-Access-Token": person.token, "Content-Type": type };
  const bytes = typeof body === "string" ? body : new Uint8Array(body);
  const { file } = (await (await fetch(url, { method: "POST", headers, body: bytes })).json()).response;
  const message = { source_guid: randomUUID(), attachments: [{ ...file, ...facts }] };
  await person.call("POST", `/v3/groups/${group.id}/messages`, { message });
}

test("a poll shows shares and voters, and a vote can be withdrawn", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  const id = await asks(ana, climbers);
  await ben.call("POST", `/v3/poll/${climbers.id}/${id}`, { votes: ["2"] });
  await ana.opens("Climbers");
  const card = ana.page.locator(".line .poll");
  const shares = () => card.locator(".poll-percent").allTextContents();
  await becomes(shares, ["0%", "100%"]);
  await card.getByLabel("at six").check();
  await becomes(shares, ["50%", "50%"]);
  await card.getByText("2 votes", { exact: true }).waitFor();
  await becomes(() => card.locator(".poll-choice .avatar").count(), 2);
  await card.getByRole("button", { name: "Withdraw my vote" }).click();
  await becomes(shares, ["0%", "100%"]);
  await card.getByRole("button", { name: "Withdraw my vote" }).waitFor({ state: "detached" });
  await becomes(() => card.getByLabel("at six").isChecked(), false);
  await becomes(() => violations(ana), []);
});

test("the last of several answers can be taken back", async (t) => {
  const { ana, climbers } = await World.climbing(t);
  await asks(ana, climbers, { type: "multi", visibility: "anonymous" });
  await ana.opens("Climbers");
  const card = ana.page.locator(".line .poll");
  await card.getByText("Several answers · Votes are anonymous.").waitFor();
  await card.getByLabel("at six").check();
  await card.getByText("1 vote", { exact: true }).first().waitFor();
  await card.getByLabel("at six").uncheck();
  await card.getByText("No votes yet").waitFor();
});

test("an event shows its day, and an answer can be changed", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  await ben.call("POST", `/v3/conversations/${climbers.id}/events/create`, {
    name: "North wall",
    is_all_day: false,
    start_at: "2100-01-02T09:00:00Z",
    end_at: "2100-01-02T16:00:00Z",
    timezone: "UTC",
  });
  await ana.opens("Climbers");
  const card = ana.page.locator(".line .event");
  await becomes(() => card.locator(".event-date").textContent(), "Jan2");
  const answers = card.getByRole("group", { name: "Your answer" });
  await answers.getByRole("button", { name: "I am not going" }).click();
  await card.getByText("Not going: You").waitFor();
  await answers.getByRole("button", { name: "I am going" }).click();
  await card.getByText(/^Going: (Ben, You|You, Ben)$/).waitFor();
  await answers.getByRole("button", { name: "I am not going", pressed: false }).waitFor();
  await becomes(() => violations(ana), []);
});

test("a file shows its type, and a text its first lines", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  const lines = "one\ntwo\nthree\nfour\nfive\nsix\n";
  await sends(ben, climbers, { name: "plan.txt", type: "text/plain", body: lines });
  await sends(ben, climbers, { name: "topo.pdf", type: "application/pdf", body: "%PDF-1.4\n" });
  await ana.opens("Climbers");
  const card = (/** @type {string} */ name) => ana.page.locator(".file", { hasText: name });
  await becomes(() => card("plan.txt").locator("pre").textContent(), "one\ntwo\nthree\nfour\nfive");
  await becomes(() => card("topo.pdf").locator(".file-type").textContent(), "PDF");
  await becomes(() => violations(ana), []);
  await sends(ben, climbers, { name: "note.wav", type: "audio/wav", body: sound() }, { duration: 1 });
  await ana.presses("Gallery");
  const gallery = ana.page.getByRole("complementary", { name: "Gallery" });
  await gallery.getByRole("radio", { name: "Files" }).check();
  await gallery.getByRole("slider", { name: "Position in note.wav" }).waitFor();
  await becomes(() => cutOff(ana), [], "a narrow panel has room for them");
});

test("a PDF says its pages and title, and the browser shows it in a window", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  await sends(ben, climbers, { name: "topo.pdf", type: "application/pdf", body: PDF });
  await ana.opens("Climbers");
  const card = ana.page.locator(".line .file", { hasText: "topo.pdf" });
  const size = `${PDF.length} bytes`;
  await becomes(() => card.locator(".file-size").textContent(), `1 page · ${size} · North wall`);
  await card.getByRole("button", { name: "Show topo.pdf" }).click();
  const window = ana.page.getByRole("dialog", { name: "topo.pdf" });
  const shown = window.locator("iframe");
  await shown.waitFor();
  // Policies of the page and of the file allow the viewer: it is a page of the browser within the frame.
  await becomes(async () => {
    const frame = await (await shown.elementHandle())?.contentFrame();
    return /^https?:\/\/[^/]*\/v3\/files\//.test(frame?.url() ?? "");
  }, true);
  await becomes(
    async () => ana.page.frames().some((frame) => frame.url().startsWith("chrome-extension:")),
    true,
  );
  await becomes(() => cutOff(ana), []);
  await window.getByRole("button", { name: "Close" }).click();
  await window.waitFor({ state: "detached" });
  await ana.page.reload();
  await becomes(() => card.locator(".file-size").textContent(), `1 page · ${size} · North wall`);
  await becomes(() => violations(ana), []);
});

test("a voice message shows its shape, and plays at three speeds", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  const wave = { name: "note.wav", type: "audio/wav", body: sound() };
  await sends(ben, climbers, wave, { duration: 1 });
  await ana.opens("Climbers");
  const card = ana.page.locator(".file-voice");
  const heights = () =>
    card.locator(".wave-all path").evaluate((path) => {
      const bars = [...(path.getAttribute("d") ?? "").matchAll(/V([\d.]+)/g)].map(([, end]) => Number(end));
      return bars.length === 40 && bars[39] > 22 && bars[0] < 15;
    });
  await becomes(heights, true);
  const speed = (/** @type {string} */ name) =>
    card.getByRole("button", { name: `Speed ${name}`, exact: true });
  await speed("1×").click();
  await speed("1.5×").click();
  await speed("2×").waitFor();
  const place = card.getByRole("slider", { name: "Position in note.wav" });
  const words = () => place.getAttribute("aria-valuetext");
  await becomes(words, "0:00 / 0:01");
  await card.getByRole("button", { name: "Play note.wav" }).click();
  // It ends by itself.
  await becomes(words, "0:01 / 0:01");
  await card.getByRole("button", { name: "Play note.wav" }).waitFor();
  await becomes(() => violations(ana), []);
});

test("a sound keeps playing when its message is drawn again", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  await sends(ben, climbers, { name: "note.wav", type: "audio/wav", body: sound() }, { duration: 1 });
  await ana.opens("Climbers");
  const card = ana.page.locator(".file-voice");
  await card.getByRole("slider").waitFor();
  await ana.page.evaluate(() => {
    // So that it lasts for as long as the test looks.
    HTMLMediaElement.prototype.play = function play() {
      this.dispatchEvent(new Event("play"));
      Object.defineProperty(this, "paused", { value: false });
      this.dispatchEvent(new Event("timeupdate"));
      return Promise.resolve();
    };
  });
  await card.getByRole("button", { name: "Play note.wav" }).click();
  await card.getByRole("button", { name: "Pause note.wav" }).waitFor();
  const [{ id }] = (await ben.call("GET", `/v3/groups/${climbers.id}/messages?limit=1`)).messages;
  await ben.call("POST", `/v3/messages/${climbers.id}/${id}/like`);
  await ana.lines.getByRole("button", { name: /^❤️/ }).waitFor();
  await card.getByRole("button", { name: "Pause note.wav" }).waitFor();
});

/** A short film, which the browser makes. */
async function film(/** @type {Person} */ { page }) {
  const made = await page.evaluate(async () => {
    const canvas = document.createElement("canvas");
    const pen = canvas.getContext("2d");
    const recorder = new MediaRecorder(canvas.captureStream(), { mimeType: "video/webm" });
    /** @type {Blob[]} */
    const parts = [];
    const whole = new Promise((resolve) => {
      recorder.onstop = resolve;
    });
    recorder.ondataavailable = ({ data }) => {
      parts.push(data);
      if (data.size > 0 && recorder.state === "recording") recorder.stop();
    };
    recorder.start(200);
    const draws = () => {
      pen?.fillRect(Math.random() * 100, 0, 100, 100);
      if (recorder.state === "recording") requestAnimationFrame(draws);
    };
    draws();
    await whole;
    return [...new Uint8Array(await new Blob(parts).arrayBuffer())];
  });
  return Buffer.from(made);
}

test("a video shows its first frame, and stays when its message is drawn again", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  await sends(ben, climbers, { name: "summit.webm", type: "video/webm", body: await film(ben) });
  await ana.opens("Climbers");
  const video = ana.page.locator(".film video");
  const width = () => video.evaluate((node) => /** @type {HTMLVideoElement} */ (node).videoWidth);
  await becomes(async () => (await width()) > 0, true);
  await becomes(() => violations(ana), []);
  await ana.page.getByRole("button", { name: "Play summit.webm" }).click();
  await becomes(() => video.evaluate((node) => /** @type {HTMLVideoElement} */ (node).controls), true);
  await video.evaluate((node) => node.setAttribute("data-same", ""));
  const [{ id }] = (await ben.call("GET", `/v3/groups/${climbers.id}/messages?limit=1`)).messages;
  await ben.call("POST", `/v3/messages/${climbers.id}/${id}/like`);
  await ana.lines.getByRole("button", { name: /^❤️/ }).waitFor();
  await becomes(() => video.getAttribute("data-same"), "");
});

test("a recording can be listened to before it is sent", async (t) => {
  const { ana } = await World.climbing(t);
  await ana.opens("Climbers");
  await ana.presses("Record a voice message");
  const time = () => ana.page.getByRole("timer").textContent();
  await becomes(time, /^0:0[1-9]/);
  await ana.presses("Stop and listen");
  const waiting = ana.page.locator(".tray-sound");
  await waiting.getByRole("button", { name: /^Play Voice message/ }).waitFor();
  await waiting.getByRole("slider").waitFor();
  await waiting.getByRole("button", { name: /^Remove Voice message/ }).click();
  await waiting.waitFor({ state: "detached" });
});
