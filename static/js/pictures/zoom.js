/**
 * The enlargement of a picture in a frame: how large it is, and which part of it is visible.
 *
 * Pure. Places are measured from the middle of the frame, in CSS pixels.
 */

/** @typedef {{ scale: number, x: number, y: number }} Zoom `x`, `y`: where the middle of the picture is */
/** @typedef {{ x: number, y: number }} Place */
/** @typedef {{ width: number, height: number }} Size */

/** @type {Zoom} */
export const WHOLE = { scale: 1, x: 0, y: 0 };
export const SCALE_MOST = 8;

/** Enlarges by a factor; what is at `place` stays there. @returns {Zoom} */
export function zoomed(/** @type {Zoom} */ zoom, /** @type {number} */ factor, /** @type {Place} */ place) {
  const scale = Math.min(SCALE_MOST, Math.max(1, zoom.scale * factor));
  if (scale === 1) return WHOLE;
  const by = scale / zoom.scale;
  return { scale, x: place.x - (place.x - zoom.x) * by, y: place.y - (place.y - zoom.y) * by };
}

/** Moves the picture, but keeps the frame filled where the picture is larger than it. @returns {Zoom} */
export function moved(
  /** @type {Zoom} */ { scale, x, y },
  /** @type {Place} */ by,
  /** @type {Size} the picture without enlargement */ picture,
  /** @type {Size} */ frame,
) {
  const within = (/** @type {number} */ place, /** @type {number} */ size, /** @type {number} */ room) => {
    const most = Math.max(0, (size * scale - room) / 2);
    // No "-0", which would differ from "0" where zooms are compared.
    return Math.min(most, Math.max(-most, place)) || 0;
  };
  return {
    scale,
    x: within(x + by.x, picture.width, frame.width),
    y: within(y + by.y, picture.height, frame.height),
  };
}
