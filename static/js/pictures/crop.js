/**
 * The frame that crops a picture: moved and resized within the picture, made square, and turned with it.
 *
 * Pure. Places are in pixels of the picture as it is turned, from its top left corner, whatever the writing direction.
 */

/** @typedef {{ width: number, height: number }} Size */
/** @typedef {{ x: number, y: number }} Shift */
/** @typedef {Shift & Size} Frame */
/**
 * The part of the frame that is dragged: -1 is the left or top edge, 1 the right or bottom one, 0 neither. A corner
 * has two edges.
 * @typedef {{ x: -1 | 0 | 1, y: -1 | 0 | 1 }} Handle
 */

/** The least width and height of a frame, as a share of the picture's. */
const SHARE_LEAST = 0.05;

const clamp = (/** @type {number} */ value, /** @type {number} */ least, /** @type {number} */ most) =>
  Math.min(most, Math.max(least, value));

/** The least width or height of a frame in a picture with this one. */
const leastOf = (/** @type {number} */ side) => Math.min(side, Math.max(1, side * SHARE_LEAST));

/** The frame around the whole picture. @returns {Frame} */
export const whole = (/** @type {Size} */ { width, height }) => ({ x: 0, y: 0, width, height });

/** Moves the frame, as far as the picture goes. @returns {Frame} */
export function moved(/** @type {Frame} */ frame, /** @type {Shift} */ by, /** @type {Size} */ picture) {
  return {
    ...frame,
    x: clamp(frame.x + by.x, 0, picture.width - frame.width),
    y: clamp(frame.y + by.y, 0, picture.height - frame.height),
  };
}

/** Moves one or two edges of the frame, as far as the picture goes; the other edges stay. @returns {Frame} */
export function resized(
  /** @type {Frame} */ frame,
  /** @type {Handle} */ handle,
  /** @type {Shift} */ by,
  /** @type {Size} */ picture,
) {
  const [x, width] = side([frame.x, frame.width], handle.x, by.x, picture.width);
  const [y, height] = side([frame.y, frame.height], handle.y, by.y, picture.height);
  return { x, y, width, height };
}

/** Moves the start (-1) or the end (1) of a line within a length. @returns {[start: number, length: number]} */
function side(
  /** @type {[number, number]} */ [start, length],
  /** @type {-1 | 0 | 1} */ handle,
  /** @type {number} */ by,
  /** @type {number} */ room,
) {
  const end = start + length;
  const least = leastOf(room);
  if (handle < 0) {
    const at = clamp(start + by, 0, Math.max(0, end - least));
    return [at, end - at];
  }
  return handle > 0 ? [start, clamp(end + by, Math.min(room, start + least), room) - start] : [start, length];
}

/**
 * Moves edges of a square frame, which stays square: a corner keeps the opposite corner where it is, an edge the
 * opposite edge, and grows to both sides of it.
 * @returns {Frame}
 */
export function resizedSquare(
  /** @type {Frame} */ frame,
  /** @type {Handle} */ handle,
  /** @type {Shift} */ by,
  /** @type {Size} */ picture,
) {
  const [across, down] = [handle.x * by.x, handle.y * by.y];
  const growth = Math.abs(across) >= Math.abs(down) ? across : down;
  const room = Math.min(
    roomOf([frame.x, frame.width], handle.x, picture.width),
    roomOf([frame.y, frame.height], handle.y, picture.height),
  );
  const least = Math.min(room, Math.max(leastOf(picture.width), leastOf(picture.height)));
  const length = clamp(frame.width + growth, least, room);
  return {
    x: startOf([frame.x, frame.width], handle.x, length, picture.width),
    y: startOf([frame.y, frame.height], handle.y, length, picture.height),
    width: length,
    height: length,
  };
}

/** How long a line can get when this end of it is moved; both can move if it is neither. */
function roomOf(
  /** @type {[number, number]} */ [start, length],
  /** @type {-1 | 0 | 1} */ handle,
  /** @type {number} */ room,
) {
  if (handle === 0) return room;
  return handle < 0 ? start + length : room - start;
}

/** Where a line begins that gets this length. */
function startOf(
  /** @type {[number, number]} */ [start, before],
  /** @type {-1 | 0 | 1} */ handle,
  /** @type {number} */ length,
  /** @type {number} */ room,
) {
  if (handle > 0) return start;
  return handle < 0 ? start + before - length : clamp(start + (before - length) / 2, 0, room - length);
}

/** The largest square in the middle of the frame. @returns {Frame} */
export function squared(/** @type {Frame} */ { x, y, width, height }) {
  const length = Math.min(width, height);
  return { x: x + (width - length) / 2, y: y + (height - length) / 2, width: length, height: length };
}

/** The size of a picture after a quarter turn. @returns {Size} */
export const turnedSize = (/** @type {Size} */ { width, height }) => ({ width: height, height: width });

/**
 * The frame around the same part of the picture after a quarter turn, to the right (1) or left (-1).
 * @returns {Frame}
 */
export function turned(
  /** @type {Frame} */ { x, y, width, height },
  /** @type {1 | -1} */ way,
  /** @type {Size} the picture before the turn */ picture,
) {
  const size = { width: height, height: width };
  return way > 0
    ? { x: picture.height - y - height, y: x, ...size }
    : { x: y, y: picture.width - x - width, ...size };
}

/** The frame in whole pixels: at least one, and none outside of the picture. @returns {Frame} */
export function inPixels(/** @type {Frame} */ frame, /** @type {Size} */ picture) {
  const x = clamp(Math.round(frame.x), 0, picture.width - 1);
  const y = clamp(Math.round(frame.y), 0, picture.height - 1);
  return {
    x,
    y,
    width: clamp(Math.round(frame.width), 1, picture.width - x),
    height: clamp(Math.round(frame.height), 1, picture.height - y),
  };
}

/** Whether the frame is around the whole picture. */
export function isWhole(/** @type {Frame} */ frame, /** @type {Size} */ picture) {
  const { width, height } = inPixels(frame, picture);
  return width === picture.width && height === picture.height;
}
