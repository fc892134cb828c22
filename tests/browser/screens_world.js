/**
 * What the pictures of the screens show: a few people, their groups, and what they have said,
 * planned, asked and pinned.
 */

import { png } from "./paint.js";

/** @typedef {import("./person.js").Person} Person */
/** @typedef {import("./world.js").World} World */

/** A PNG of this size that fades from one colour to another. */
function faded(/** @type {number} */ width, /** @type {number} */ height, /** @type {number} */ hue) {
  const rows = Buffer.alloc(height * (width * 3 + 1));
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const at = y * (width * 3 + 1) + 1 + x * 3;
      rows[at] = (hue + (x * 200) / width) % 256;
      rows[at + 1] = 90 + (y * 120) / height;
      rows[at + 2] = (hue * 3 + (x + y) / 9) % 256;
    }
  }
  return png(width, height, rows);
}

async function uploads(/** @type {Person} */ person, /** @type {Buffer} */ picture) {
  const headers = { "X-Access-Token": person.token };
  const body = new Blob([new Uint8Array(picture)], { type: "image/png" });
  const answer = await fetch(`${person.world.server.url}/pictures`, { method: "POST", headers, body });
  const told = await answer.json();
  if (!answer.ok) throw new Error(`${answer.status} ${JSON.stringify(told)}`);
  return told.payload.url;
}

/** A message with pictures of these sizes. */
async function shows(
  /** @type {Person} */ person,
  /** @type {{ id: string }} */ group,
  /** @type {string} */ text,
  /** @type {number[][]} */ ...sizes
) {
  const attachments = [];
  for (const [at, [width, height]] of sizes.entries()) {
    attachments.push({ type: "image", url: await uploads(person, faded(width, height, at * 60)) });
  }
  const message = { source_guid: crypto.randomUUID(), text, attachments };
  await person.call("POST", `/v3/groups/${group.id}/messages`, { message });
}

/** The content of a file: the server tells types by their first bytes. */
function contentOf(/** @type {string} */ name) {
  if (name.endsWith(".pdf")) return `%PDF-1.7\n${"0".repeat(240_000)}`;
  if (name.endsWith(".xlsx")) return `PK\u0003\u0004${"\0".repeat(18_000)}`;
  return "first the rope\nthen the shoes\nand chalk\n";
}

/** A message with files of these names. */
async function brings(
  /** @type {Person} */ person,
  /** @type {Group} */ group,
  /** @type {string} */ text,
  /** @type {string[]} */ names,
) {
  const attachments = [];
  for (const name of names) {
    const headers = { "X-Access-Token": person.token };
    const url = `${person.world.server.url}/v3/conversations/${group.id}/files?name=${name}`;
    const answer = await fetch(url, { method: "POST", headers, body: contentOf(name) });
    attachments.push((await answer.json()).response.file);
  }
  const message = { source_guid: crypto.randomUUID(), text, attachments };
  await person.call("POST", `/v3/groups/${group.id}/messages`, { message });
}

/** An event and a poll, an answer, a pin, reactions and a file, each as people make them. */
async function plans(
  /** @type {Record<"ana" | "ben" | "cleo", Person>} */ { ana, ben, cleo },
  /** @type {{ id: string }} */ group,
) {
  const times = { start_at: "2100-01-02T09:00:00Z", end_at: "2100-01-02T16:00:00Z", timezone: "UTC" };
  const where = { location: { name: "Car park at the quarry" }, is_all_day: false };
  await ben.call("POST", `/v3/conversations/${group.id}/events/create`, {
    name: "North wall",
    ...times,
    ...where,
  });
  const options = [{ title: "at six" }, { title: "at seven, after breakfast" }];
  const poll = { subject: "When do we meet?", options, expiration: 4_102_444_800 };
  await cleo.call("POST", `/v3/poll/${group.id}`, { ...poll, type: "single", visibility: "public" });
  const seats = await ana.says(group, "I'll drive, **three seats** free 🚗");
  await ana.call("POST", `/v3/conversations/${group.id}/messages/${seats.id}/pin`);
  const like_icon = { type: "unicode", code: "🎉" };
  await ben.call("POST", `/v3/messages/${group.id}/${seats.id}/like`, { like_icon });
  await cleo.call("POST", `/v3/messages/${group.id}/${seats.id}/like`);
  const attachments = [{ type: "reply", reply_id: seats.id, base_reply_id: seats.id }];
  const message = { source_guid: crypto.randomUUID(), text: "One for me, please", attachments };
  await cleo.call("POST", `/v3/groups/${group.id}/messages`, { message });
  return seats;
}

/**
 * @typedef {{ id: string, name: string }} Group
 * @returns {Promise<Record<"ana" | "ben" | "cleo" | "ema" | "yossi", Person> & {
 *   climbers: Group, reads: Group, quiet: Group, seats: { id: string } }>}
 */
export async function populate(/** @type {World} */ world) {
  const people = ["Ana", "Ben Okonkwo", "Cleo", "Ema", "יוסי כהן", "a".repeat(50)];
  const [ana, ben, cleo, ema, yossi, long] = await Promise.all(
    people.map(async (name, at) => {
      const person = await world.visitor(`p${at}`);
      person.name = name;
      await person.hasAnAccount();
      return person;
    }),
  );
  const climbers = await ben.hasGroup("Climbers", ana, cleo, ema, yossi, long);
  const others = [
    "Book club",
    "משפחה",
    `Zalgo ${"Z\u0310\u0351\u0352".repeat(12)}`,
    "Team meetings on Thursday and more",
    "Neighbours",
    "Choir",
    "Saturday kitchen",
  ];
  for (const name of others) await ema.says(await ema.hasGroup(name, ana), `Welcome to ${name}`);
  await ben.says(climbers, "Anyone up for the north wall on Saturday? Forecast looks dry until the evening.");
  await cleo.says(climbers, "I'm in! I can bring the second rope, the 60 m one.");
  await cleo.says(climbers, "See https://topo.example.org/north-wall/2024/approach?from=parking#map");
  await shows(ben, climbers, "From last time", [900, 600], [600, 900], [800, 800]);
  await shows(ana, climbers, "", [1200, 500]);
  await yossi.says(climbers, "שלום לכולם, אני מגיע ב-6 עם rope ועוד משהו");
  await long.says(climbers, `${"H\u0310\u0351\u0352\u0353\u0354\u0355".repeat(40)} ${"\u0489".repeat(200)}`);
  await long.says(climbers, `${"unbreakable".repeat(14)} \u202Etxet desrever\u202C`);
  await ana.says(climbers, "Count me in");
  await ana.says(climbers, "I'll drive, three seats free 🚗");
  await ema.says(climbers, "🧗‍♀️🧗");
  const reads = await ema.hasGroup("Long reads", ana);
  for (let at = 1; at <= 130; at += 1) await ema.says(reads, `Page ${at}`);
  const seats = await plans({ ana, ben, cleo }, climbers);
  await ben.writesTo(ana, "Do you still have my chalk bag?");
  await ana.writesTo(ben, "Yes! On my kitchen table");
  await brings(ben, climbers, "Route and gear", ["topo.pdf", "gear.xlsx", "notes.txt"]);
  const quiet = await ana.hasGroup("Quiet corner");
  await ana.hasLeft("Old cellar", cleo);
  return { ana, ben, cleo, ema, yossi, climbers, reads, quiet, seats };
}
