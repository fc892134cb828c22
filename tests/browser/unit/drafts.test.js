/**
 * Drafts on several devices: which words stand in the field afterwards.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { createDrafts } from "../../../static/js/composer/drafts.js";
import { createKept } from "../../../static/js/device/kept.js";

const CLIMBERS = "g:1";

/** What a browser keeps. */
function shelf() {
  const items = new Map();
  return {
    getItem: (/** @type {string} */ key) => items.get(key) ?? null,
    setItem: (/** @type {string} */ key, /** @type {string} */ value) => void items.set(key, value),
    removeItem: (/** @type {string} */ key) => void items.delete(key),
    key: (/** @type {number} */ at) => [...items.keys()][at] ?? null,
    get length() {
      return items.size;
    },
  };
}

/** @typedef {import("../../../static/js/sync/types.js").Attachment} Attachment */

/** A file as the server tells of it, or as it was answered. @type {(id: string) => Attachment} */
const file = (id) => ({ type: "file", file_id: id, name: `${id}.txt` });

/** A page over this shelf, and a server that has this. */
function page(storage = shelf(), server = { text: "", isAway: false }) {
  /** @type {string[]} */
  const said = [];
  /** @type {Attachment[]} */
  let attached = [];
  /** @type {(() => void)[]} */
  const later = [];
  const clock = { ms: 1_000_000 };
  const api = {
    drafts: async () =>
      server.text || attached.length > 0
        ? [{ conversation_id: "1", text: server.text, attachments: attached }]
        : [],
    keepDraft: async (
      /** @type {string} */ _id,
      /** @type {import("../../../static/js/composer/drafts.js").Content} */ { text, attachments },
    ) => {
      if (server.isAway) throw new Error("no line");
      server.text = text;
      attached = attachments;
      said.push([text, ...attachments.map((it) => it.name)].join(" + "));
    },
  };
  const drafts = createDrafts({
    api,
    kept: createKept(() => storage),
    me: () => "10",
    onHeard: () => {},
    later: (run) => later.push(run),
    now: () => clock.ms,
  });
  return {
    said,
    server,
    field: () => drafts.get(CLIMBERS),
    beside: () => drafts.attached(CLIMBERS).map(({ name }) => name),
    hears: (/** @type {string} */ text, /** @type {Attachment[]} */ ...attachments) =>
      drafts.heard({ conversation_id: "1", text, attachments }),
    attaches: (/** @type {Attachment[]} */ ...attachments) => drafts.attach(CLIMBERS, attachments),
    sends: () => drafts.end(CLIMBERS),
    refresh: drafts.refresh,
    resume: drafts.resume,
    types: (/** @type {string} */ text) => drafts.set(CLIMBERS, text),
    async waits(/** @type {number} */ ms) {
      clock.ms += ms;
      for (const run of later.splice(0)) run();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

test("a draft from another device applies if nothing is typed", () => {
  const ana = page();
  ana.hears("rope at\r\nsix");
  assert.equal(ana.field(), "rope at\nsix");
  ana.hears("");
  assert.equal(ana.field(), "");
});

test("a pause saves the draft, and its echo changes nothing", async () => {
  const ana = page();
  ana.types("a");
  await ana.waits(500);
  ana.types("ab");
  await ana.waits(1_000);
  ana.types("abc");
  ana.hears("ab");
  await ana.waits(1_000);
  assert.deepEqual([ana.said, ana.field()], [["ab", "abc"], "abc"]);
  await ana.waits(60_000);
  ana.hears("abc");
  assert.equal(ana.field(), "abc");
});

test("words that were exchanged late do not come back", async () => {
  const ana = page();
  ana.types("rope");
  await ana.waits(60_000);
  ana.types("");
  await ana.waits(60_000);
  ana.hears("rope");
  assert.equal(ana.field(), "");
  ana.hears("");
  assert.deepEqual([ana.field(), ana.said], ["", ["rope", ""]]);
});

test("conflicting drafts are both kept", async () => {
  const ana = page();
  ana.types("from here");
  ana.hears("from there");
  await ana.waits(60_000);
  ana.resume();
  await ana.waits(0);
  assert.deepEqual([ana.field(), ana.said], ["from here", []]);
  ana.types("from here!");
  await ana.waits(1_000);
  assert.deepEqual(ana.said, ["from here!"]);
});

test("an older draft does not replace recent typing", async () => {
  const ana = page();
  ana.types("from here");
  await ana.waits(1_000);
  ana.hears("from here");
  ana.hears("from there");
  assert.equal(ana.field(), "from here");
  const quick = page();
  quick.types("from here");
  await quick.waits(1_000);
  quick.hears("from here");
  quick.hears("from here on");
  assert.equal(quick.field(), "from here on");
  quick.hears("");
  assert.equal(quick.field(), "");
  const later = page();
  later.types("from here");
  await later.waits(1_000);
  later.hears("from here");
  await later.waits(60_000);
  later.hears("from there");
  assert.equal(later.field(), "from there");
});

test("an offline draft is saved after a reload unless outdated", async () => {
  const storage = shelf();
  const ana = page(storage, { text: "", isAway: true });
  ana.types("rope");
  await ana.waits(1_000);
  const again = page(storage, { text: "", isAway: false });
  await again.refresh();
  assert.deepEqual([again.field(), again.said], ["rope", ["rope"]]);
  const other = shelf();
  const ben = page(other, { text: "", isAway: true });
  ben.types("rope");
  await ben.waits(1_000);
  const news = page(other, { text: "from there", isAway: false });
  await news.refresh();
  assert.deepEqual([news.field(), news.said], ["rope", []]);
});

test("a draft that ended on the server ends here", async () => {
  const storage = shelf();
  const ana = page(storage);
  ana.hears("rope");
  const again = page(storage);
  await again.refresh();
  assert.equal(again.field(), "");
});

test("draft attachments follow their text", async () => {
  const ana = page();
  ana.types("rope");
  ana.attaches(file("a"));
  await ana.waits(1_000);
  ana.hears("rope", { ...file("a"), size: 7 });
  ana.types("rope at six");
  ana.attaches(file("a"), file("b"));
  await ana.waits(1_000);
  assert.deepEqual(ana.said, ["rope + a.txt", "rope at six + a.txt + b.txt"]);
  ana.sends();
  assert.deepEqual([ana.field(), ana.beside(), ana.said.at(-1)], ["", [], ""]);
});

test("remote attachments apply unless typing here", async () => {
  const storage = shelf();
  const ana = page(storage);
  ana.hears("", file("a"), { type: "location", name: "Wall" });
  assert.deepEqual(ana.beside(), ["a.txt"]);
  ana.hears("rope", file("a"), file("b"));
  assert.deepEqual([ana.field(), ana.beside()], ["rope", ["a.txt", "b.txt"]]);
  assert.deepEqual(page(storage).beside(), ["a.txt", "b.txt"], "after a reload too");
  ana.attaches(file("c"));
  ana.hears("rope", file("d"));
  assert.deepEqual(ana.beside(), ["c.txt"]);
});
