/** The pure parts of cards: shares of votes, signs of files, mosaics, shapes of sounds, and enlargements. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { firstLines, isText, signOfFile } from "../../../static/js/files/files.js";
import { rowsOf } from "../../../static/js/pictures/mosaic.js";
import { moved, SCALE_MOST, WHOLE, zoomed } from "../../../static/js/pictures/zoom.js";
import { sharesOf } from "../../../static/js/polls/poll_shares.js";
import { withMoved } from "../../../static/js/ui/list_order.js";
import { BARS, pathOf, shapeOf } from "../../../static/js/voice/waveform.js";

/** @returns {import("../../../static/js/polls/poll_calls.js").Poll} */
function poll(/** @type {string} */ type, /** @type {(string[] | number)[]} */ ...votes) {
  const options = votes.map((of, at) => {
    const id = String(at + 1);
    const title = `option ${id}`;
    if (typeof of === "number") return of > 0 ? { id, title, votes: of } : { id, title };
    return of.length > 0 ? { id, title, votes: of.length, voter_ids: of } : { id, title };
  });
  const data = { id: "1", subject: "When?", owner_id: "1", expiration: 0, status: "active", options };
  return { data: { ...data, type, visibility: "public" }, user_votes: null };
}

const percents = (/** @type {import("../../../static/js/polls/poll_calls.js").Poll} */ of) =>
  sharesOf(of).shares.map(({ percent }) => percent);

test("the shares of single answers add up to 100", () => {
  assert.deepEqual(percents(poll("single", ["a"], ["b"], ["c"])), [34, 33, 33]);
  assert.deepEqual(percents(poll("single", 2, 1, 0)), [67, 33, 0]);
  assert.deepEqual(percents(poll("single", [], [])), [0, 0]);
});

test("the shares of several answers are those of the voters", () => {
  const several = poll("multi", ["a", "b"], ["a"], []);
  assert.deepEqual(percents(several), [100, 50, 0]);
  assert.deepEqual([sharesOf(several).voters, sharesOf(several).votes], [2, 3]);
  const anonymous = poll("multi", 2, 1);
  assert.deepEqual([percents(anonymous), sharesOf(anonymous).voters], [[67, 33], null]);
});

test("all options with the most votes lead", () => {
  const leads = (/** @type {import("../../../static/js/polls/poll_calls.js").Poll} */ of) =>
    sharesOf(of).shares.map((share) => share.leads);
  assert.deepEqual(leads(poll("single", 2, 2, 1)), [true, true, false]);
  assert.deepEqual(leads(poll("single", 0, 0)), [false, false]);
});

test("the end of its name is the sign of a file", () => {
  assert.deepEqual(signOfFile("topo.pdf"), { end: "PDF", hue: 0 });
  assert.deepEqual(signOfFile("notes.md"), { end: "MD", hue: null });
  assert.equal(signOfFile("no end"), null);
  assert.equal(signOfFile("the.longest-end-of-all"), null);
});

test("the first lines of a text are few and short", () => {
  assert.equal(firstLines("one\r\ntwo\n\nfour\nfive\nsix"), "one\ntwo\n\nfour\nfive");
  assert.equal(firstLines("x".repeat(500)).length, 120);
  assert.deepEqual(["text/plain", "application/json", "application/pdf"].map(isText), [true, true, false]);
});

test("a mosaic has rows of a good height", () => {
  const square = (/** @type {number} */ count) => rowsOf(Array.from({ length: count }, () => 1));
  assert.deepEqual(square(2), [2]);
  assert.equal(
    square(10).reduce((sum, one) => sum + one, 0),
    10,
  );
  assert.ok(square(10).every((count) => count >= 2 && count <= 4));
  assert.deepEqual(rowsOf([1.9, 1.9]), [1, 1], "broad ones stand below each other");
});

test("the loudest part of a sound is the highest bar", () => {
  const samples = Float32Array.from({ length: 4000 }, (_, at) => (at < 2000 ? 0.1 : 0.4) * Math.sin(at));
  const shape = shapeOf(samples);
  assert.equal(shape.length, BARS);
  assert.equal(Math.max(...shape), 1);
  assert.ok(shape[0] < 0.3 && shape[BARS - 1] > 0.9);
  assert.ok(shapeOf(new Float32Array(100)).every((bar) => bar > 0 && bar < 0.1));
  assert.match(pathOf([1]), /^M1\.5 1\.0V23\.0$/);
});

test("a picture is enlarged around the pointer", () => {
  const place = { x: 100, y: -50 };
  const zoom = zoomed(WHOLE, 2, place);
  assert.deepEqual(zoom, { scale: 2, x: -100, y: 50 });
  assert.equal(zoomed(zoom, 100, place).scale, SCALE_MOST);
  assert.deepEqual(zoomed(zoom, 0.1, place), WHOLE);
});

test("an enlarged picture cannot be moved out of its frame", () => {
  const [picture, frame] = [
    { width: 300, height: 100 },
    { width: 400, height: 400 },
  ];
  const zoom = moved({ scale: 2, x: 0, y: 0 }, { x: 500, y: 500 }, picture, frame);
  assert.deepEqual(zoom, { scale: 2, x: 100, y: 0 });
  assert.deepEqual(moved(WHOLE, { x: 50, y: 50 }, picture, frame), WHOLE);
});

test("an entry of a list is moved to another place", () => {
  const list = ["a", "b", "c"];
  assert.deepEqual(withMoved(list, 0, 2), ["b", "c", "a"]);
  assert.deepEqual(withMoved(list, 2, 0), ["c", "a", "b"]);
  assert.equal(withMoved(list, 1, 3), list, "there is no such place");
  assert.equal(withMoved(list, -1, 0), list);
});
