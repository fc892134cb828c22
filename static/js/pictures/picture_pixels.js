/**
 * The pixels of a picture that is edited: decoding, drawing and encoding them.
 *
 * Keeps nothing. The browser decodes and encodes beside the page, which stays usable meanwhile.
 */

import { inPixels } from "./crop.js";
import { MAX_BYTES } from "./pictures.js";

/** @typedef {import("./crop.js").Size} Size */
/** @typedef {import("./crop.js").Frame} Frame */

/** The longest side of a decoded picture in pixels: the canvas of some phones takes 4096 × 4096. */
const SIDE_MOST = 4096;
/**
 * Attempts at encoding, until the file is small enough. The server encodes JPEG at 0.85, so the first attempt loses
 * little of what it keeps.
 */
const QUALITIES = [0.95, 0.85, 0.7];

/**
 * Decodes a picture upright, whatever its EXIF orientation, and reduced if it is very large.
 * @param {Blob} content
 * @param {Size} size the size of the upright picture
 */
export function decoded(content, { width, height }) {
  const scale = SIDE_MOST / Math.max(width, height);
  /** @type {ImageBitmapOptions} */
  const upright = { imageOrientation: "from-image" };
  // The height follows from the width.
  const reduced = { resizeWidth: Math.floor(width * scale), resizeQuality: /** @type {const} */ ("high") };
  // Browsers that do not know the option decode upright without it.
  return createImageBitmap(content, scale < 1 ? { ...upright, ...reduced } : upright).catch(() =>
    createImageBitmap(content),
  );
}

/**
 * Draws a part of a turned picture over the whole canvas.
 * @param {HTMLCanvasElement} canvas gets the size of the part, reduced to `sideMost` if it is larger
 * @param {ImageBitmap} bitmap
 * @param {{ turns: number, part: Frame, sideMost?: number, back?: string }} how `turns` are quarters to the right;
 *   `back` is a colour for what is transparent
 */
export function draw(canvas, bitmap, { turns, part, sideMost = SIDE_MOST, back }) {
  const scale = Math.min(1, sideMost / Math.max(part.width, part.height));
  canvas.width = Math.max(1, Math.round(part.width * scale));
  canvas.height = Math.max(1, Math.round(part.height * scale));
  const context = canvas.getContext("2d");
  if (!context) throw new Error("the browser has no canvas");
  context.imageSmoothingQuality = "high";
  if (back) {
    context.fillStyle = back;
    context.fillRect(0, 0, canvas.width, canvas.height);
  }
  context.scale(canvas.width / part.width, canvas.height / part.height);
  context.translate(-part.x, -part.y);
  const { width, height } = bitmap;
  const corner = [
    [0, 0],
    [height, 0],
    [width, height],
    [0, width],
  ][turns];
  context.translate(corner[0], corner[1]);
  context.rotate((turns * Math.PI) / 2);
  context.drawImage(bitmap, 0, 0);
}

/**
 * Encodes a part of a turned picture in its own type; a browser that cannot write WebP makes a PNG of it. A JPEG
 * takes the place of a file that the server would not accept as a picture.
 * @param {ImageBitmap} bitmap
 * @param {{ turns: number, frame: Frame, picture: Size, type: string }} how
 */
export async function encoded(bitmap, { turns, frame, picture, type }) {
  const canvas = document.createElement("canvas");
  const part = inPixels(frame, picture);
  for (const [at, quality] of QUALITIES.entries()) {
    const wanted = at === 0 ? type : "image/jpeg";
    draw(canvas, bitmap, { turns, part, back: wanted === "image/jpeg" ? "#ffffff" : undefined });
    const content = await blobOf(canvas, wanted, quality);
    if (content && content.size <= MAX_BYTES) return content;
  }
  throw new Error("the picture could not be encoded");
}

/** @returns {Promise<Blob | null>} */
const blobOf = (
  /** @type {HTMLCanvasElement} */ canvas,
  /** @type {string} */ type,
  /** @type {number} */ quality,
) => new Promise((resolve) => canvas.toBlob(resolve, type, quality));
