/** Pictures for tests: PNG files of any size and colours. */

import { crc32, deflateSync } from "node:zlib";

/** One pixel, as a file that somebody chooses. */
export const PIXEL = {
  name: "pixel.png",
  mimeType: "image/png",
  buffer: Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  ),
};
const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

function chunk(/** @type {string} */ kind, /** @type {Buffer} */ data) {
  const body = Buffer.concat([Buffer.from(kind), data]);
  const whole = Buffer.alloc(body.length + 8);
  whole.writeUInt32BE(data.length, 0);
  body.copy(whole, 4);
  whole.writeUInt32BE(crc32(body), body.length + 4);
  return whole;
}

/** A PNG of this size; each row is a zero, then red, green and blue of each point. */
export function png(/** @type {number} */ width, /** @type {number} */ height, /** @type {Buffer} */ rows) {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  // Eight bits for each of three colours.
  head[8] = 8;
  head[9] = 2;
  const data = deflateSync(rows);
  return Buffer.concat([SIGNATURE, chunk("IHDR", head), chunk("IDAT", data), chunk("IEND", Buffer.alloc(0))]);
}

/** A PNG of this size, all of this colour (red, green, blue). */
export function painted(
  /** @type {number} */ width,
  /** @type {number} */ height,
  /** @type {[number, number, number]} */ colour,
) {
  const row = Buffer.concat([Buffer.alloc(1), Buffer.alloc(width * 3, Buffer.from(colour))]);
  return png(width, height, Buffer.concat(Array.from({ length: height }, () => row)));
}
