/** What a PDF says about itself. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateSync } from "node:zlib";
import { factsOfPdf } from "../../../static/js/files/pdf_facts.js";

const NONE = new Uint8Array();
const bytes = (/** @type {string} */ text) => new Uint8Array(Buffer.from(text, "latin1"));
const facts = (/** @type {string} */ text, end = NONE) => factsOfPdf(bytes(text), end);

const TREE = `2 0 obj << /Type /Pages /Kids [3 0 R] /Count 12 >> endobj
3 0 obj << /Type /Pages /Parent 2 0 R /Count 7 >> endobj`;

test("the root of the page tree counts pages", async () => {
  assert.deepEqual(await facts(TREE), { pages: 12, title: "" });
  assert.deepEqual(await facts(`${TREE} 2 0 obj << /Type/Pages /Count 3 >> endobj`), { pages: 3, title: "" });
  assert.deepEqual(await facts("%PDF", bytes(TREE)), { pages: 12, title: "" }, "at the end");
  assert.deepEqual(await facts("1 0 obj << /Linearized 1 /N 44 >> endobj"), { pages: 44, title: "" });
  assert.deepEqual(await facts("no PDF"), { pages: null, title: "" });
});

test("compressed objects are read, also cut off", async () => {
  const objects = "<< /Type /Pages /Count 5 /Kids [] >> << /Title (Topo) >>";
  const index = "2 0 8 37 ";
  const packed = deflateSync(Buffer.from(index + objects, "latin1")).toString("latin1");
  const head = `9 0 obj << /Type /ObjStm /N 2 /First ${index.length} /Filter /FlateDecode >>`;
  assert.deepEqual(await facts(`${head} stream\n${packed}\nendstream endobj`), { pages: 5, title: "Topo" });
  assert.deepEqual(await facts(`${head} stream\n${packed.slice(0, -6)}`), { pages: 5, title: "Topo" });
  assert.deepEqual(await facts(`${head} stream\nno zlib\nendstream`), { pages: null, title: "" });
});

test("a title is read in every encoding, without control characters", async () => {
  const title = async (/** @type {string} */ words) =>
    (await facts(`8 0 obj << /Title ${words} >> endobj`)).title;
  assert.equal(await title("(North (steep\\) wall) \\050a\\051)"), "North (steep) wall) (a)");
  assert.equal(await title("(North \\(wall\\) \\344)"), "North (wall) ä");
  assert.equal(await title("<FEFF0041006E00E4>"), "Anä");
  assert.equal(await title("(\u00ef\u00bb\u00bfgr\u00c3\u00bcn)"), "grün");
  assert.equal(await title("<FEFF0041202E0042>"), "A B");
  assert.equal(await title("()"), "");
});

test("titles of an outline and of encrypted files are none", async () => {
  const outline = "5 0 obj << /Title (Chapter) /Parent 4 0 R >> endobj";
  assert.equal((await facts(outline)).title, "");
  const encrypted = "8 0 obj << /Title (x) >> endobj trailer << /Encrypt 9 0 R >>";
  assert.equal((await facts(encrypted)).title, "");
});

test("a stream that grows without end is read at its beginning only", async () => {
  const packed = deflateSync(Buffer.alloc(8 << 20, "1 0 ")).toString("latin1");
  const head = "9 0 obj << /Type /ObjStm /N 9 /First 9999999 /Filter /FlateDecode >> stream";
  assert.deepEqual(await facts(`${head}\n${packed}\nendstream endobj`), { pages: null, title: "" });
  assert.deepEqual(await facts(TREE + "<<".repeat(40_000)), { pages: 12, title: "" });
});
