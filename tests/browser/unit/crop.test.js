/** The frame that crops a picture. */

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  inPixels,
  isWhole,
  moved,
  resized,
  resizedSquare,
  squared,
  turned,
  turnedSize,
  whole,
} from "../../../static/js/pictures/crop.js";

const PICTURE = { width: 400, height: 200 };
const FRAME = { x: 100, y: 50, width: 200, height: 100 };

test("a frame moves within the picture", () => {
  assert.deepEqual(moved(FRAME, { x: 10, y: -20 }, PICTURE), { ...FRAME, x: 110, y: 30 });
  assert.deepEqual(moved(FRAME, { x: -500, y: 500 }, PICTURE), { ...FRAME, x: 0, y: 100 });
  assert.deepEqual(moved(whole(PICTURE), { x: 5, y: 5 }, PICTURE), whole(PICTURE));
});

test("a handle moves its edges only", () => {
  assert.deepEqual(resized(FRAME, { x: -1, y: 0 }, { x: 30, y: 70 }, PICTURE), {
    ...FRAME,
    x: 130,
    width: 170,
  });
  assert.deepEqual(resized(FRAME, { x: 0, y: 1 }, { x: 30, y: 20 }, PICTURE), { ...FRAME, height: 120 });
  assert.deepEqual(resized(FRAME, { x: 1, y: -1 }, { x: 10, y: -10 }, PICTURE), {
    x: 100,
    y: 40,
    width: 210,
    height: 110,
  });
});

test("an edge stops at the picture's edge and near the opposite one", () => {
  assert.deepEqual(resized(FRAME, { x: -1, y: -1 }, { x: -900, y: -900 }, PICTURE), {
    x: 0,
    y: 0,
    width: 300,
    height: 150,
  });
  assert.deepEqual(resized(FRAME, { x: 1, y: 1 }, { x: 900, y: 900 }, PICTURE), {
    ...FRAME,
    width: 300,
    height: 150,
  });
  assert.deepEqual(resized(FRAME, { x: -1, y: -1 }, { x: 900, y: 900 }, PICTURE), {
    x: 280,
    y: 140,
    width: 20,
    height: 10,
  });
  assert.deepEqual(resized(FRAME, { x: 1, y: 1 }, { x: -900, y: -900 }, PICTURE), {
    ...FRAME,
    width: 20,
    height: 10,
  });
});

test("the smallest picture keeps its only frame", () => {
  const pixel = { width: 1, height: 1 };
  for (const handle of /** @type {const} */ ([
    { x: -1, y: -1 },
    { x: 1, y: 1 },
    { x: 0, y: 1 },
  ])) {
    assert.deepEqual(resized(whole(pixel), handle, { x: 1, y: -1 }, pixel), whole(pixel));
    assert.deepEqual(resizedSquare(whole(pixel), handle, { x: 1, y: -1 }, pixel), whole(pixel));
  }
});

test("a square lies in the middle of the frame", () => {
  assert.deepEqual(squared(FRAME), { x: 150, y: 50, width: 100, height: 100 });
  assert.deepEqual(squared({ x: 0, y: 0, width: 10, height: 40 }), { x: 0, y: 15, width: 10, height: 10 });
});

test("a square stays square and within the picture", () => {
  const square = { x: 150, y: 50, width: 100, height: 100 };
  const sides = /** @type {const} */ ([-1, 0, 1]);
  for (const x of sides) {
    for (const y of sides) {
      if (x === 0 && y === 0) continue;
      for (const by of [-900, -60, -7, 0, 7, 60, 900]) {
        const next = resizedSquare(square, { x, y }, { x: by, y: by / 2 }, PICTURE);
        const facts = JSON.stringify([x, y, by, next]);
        assert.equal(next.width, next.height, facts);
        assert.ok(next.width >= 20, facts);
        assert.ok(next.x >= 0 && next.y >= 0, facts);
        assert.ok(next.x + next.width <= PICTURE.width && next.y + next.height <= PICTURE.height, facts);
        if (x < 0) assert.equal(next.x + next.width, 250, facts);
        if (x > 0) assert.equal(next.x, 150, facts);
        if (y < 0) assert.equal(next.y + next.height, 150, facts);
        if (y > 0) assert.equal(next.y, 50, facts);
      }
    }
  }
});

test("a turn keeps the same part of the picture in the frame", () => {
  const frame = { x: 10, y: 20, width: 100, height: 50 };
  assert.deepEqual(turned(frame, 1, PICTURE), { x: 130, y: 10, width: 50, height: 100 });
  assert.deepEqual(turned(frame, -1, PICTURE), { x: 20, y: 290, width: 50, height: 100 });
  assert.deepEqual(turned(turned(frame, 1, PICTURE), -1, turnedSize(PICTURE)), frame);
  let [now, size] = [frame, PICTURE];
  for (const way of /** @type {const} */ ([1, 1, 1, 1]))
    [now, size] = [turned(now, way, size), turnedSize(size)];
  assert.deepEqual(now, frame);
});

test("a frame has whole pixels within the picture", () => {
  assert.deepEqual(inPixels({ x: 399.7, y: -0.2, width: 0.3, height: 200.4 }, PICTURE), {
    x: 399,
    y: 0,
    width: 1,
    height: 200,
  });
  assert.equal(isWhole(whole(PICTURE), PICTURE), true);
  assert.equal(isWhole({ ...whole(PICTURE), width: 399.8 }, PICTURE), true);
  assert.equal(isWhole(FRAME, PICTURE), false);
});
