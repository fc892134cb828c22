/**
 * Enlarges the picture of the lightbox: by buttons and keys, the wheel, two fingers or two taps. A picture that is
 * enlarged can be moved.
 *
 * Owns the enlargement and the pointers in the frame; a swipe over the whole picture goes to `onSwipe`.
 */

import { moved, WHOLE, zoomed } from "./zoom.js";

/** The factor of one press of a button, and of two taps. */
const STEP = 1.5;
const TAPS = 2.5;
/** How strongly the wheel enlarges. */
const PER_WHEEL = 0.002;
/** How far a finger has to move sideways for a swipe, in CSS pixels. */
const SWIPE_PX = 48;

/**
 * @param {object} parts
 * @param {HTMLElement} parts.frame
 * @param {HTMLImageElement} parts.image in the middle of the frame
 * @param {(by: 1 | -1) => void} parts.onSwipe 1 leads to the next picture, -1 to the one before
 * @param {(scale: number) => void} parts.onChange
 */
export function createPictureZoom({ frame, image, onSwipe, onChange }) {
  let zoom = WHOLE;
  /** The pointers that are down, and where they are. @type {Map<number, { x: number, y: number }>} */
  const down = new Map();
  /** Where the only finger went down; null once there were two. @type {{ x: number, y: number } | null} */
  let begun = null;

  function show(/** @type {import("./zoom.js").Zoom} */ next) {
    const { clientWidth: width, clientHeight: height } = frame;
    const picture = { width: image.offsetWidth, height: image.offsetHeight };
    zoom = moved(next, { x: 0, y: 0 }, picture, { width, height });
    const { scale, x, y } = zoom;
    image.style.transform = scale === 1 ? "" : `translate(${x}px, ${y}px) scale(${scale})`;
    frame.classList.toggle("lightbox-zoomed", scale > 1);
    onChange(scale);
  }

  /** Where a point of the page is, seen from the middle of the frame. */
  function placeOf(/** @type {{ x: number, y: number }} */ { x, y }) {
    const box = frame.getBoundingClientRect();
    return { x: x - box.left - box.width / 2, y: y - box.top - box.height / 2 };
  }

  /** The middle of the pointers that are down, and the distance between two of them. */
  function grip() {
    const [one, other = one] = down.values();
    const middle = { x: (one.x + other.x) / 2, y: (one.y + other.y) / 2 };
    return { middle, distance: Math.hypot(one.x - other.x, one.y - other.y) };
  }

  frame.addEventListener("pointerdown", (event) => {
    if (event.pointerType === "mouse" && (event.button !== 0 || zoom.scale === 1)) return;
    down.set(event.pointerId, { x: event.clientX, y: event.clientY });
    begun = down.size === 1 && zoom.scale === 1 ? { x: event.clientX, y: event.clientY } : null;
    if (event.target === image) image.setPointerCapture(event.pointerId);
  });
  frame.addEventListener("pointermove", ({ pointerId, clientX: x, clientY: y }) => {
    if (!down.has(pointerId)) return;
    const before = grip();
    down.set(pointerId, { x, y });
    const now = grip();
    const by = { x: now.middle.x - before.middle.x, y: now.middle.y - before.middle.y };
    if (down.size === 1 && zoom.scale === 1) return;
    const next = { ...zoom, x: zoom.x + by.x, y: zoom.y + by.y };
    const factor = down.size > 1 && before.distance > 0 ? now.distance / before.distance : 1;
    show(factor === 1 ? next : zoomed(next, factor, placeOf(now.middle)));
  });
  for (const end of /** @type {const} */ (["pointerup", "pointercancel"])) {
    frame.addEventListener(end, ({ type, pointerId, clientX, clientY }) => {
      if (!down.delete(pointerId)) return;
      const from = begun;
      begun = null;
      if (!from || type !== "pointerup" || zoom.scale !== 1) return;
      const [x, y] = [clientX - from.x, clientY - from.y];
      if (Math.abs(x) < SWIPE_PX || Math.abs(x) < 2 * Math.abs(y)) return;
      const turn = getComputedStyle(frame).direction === "rtl" ? -1 : 1;
      onSwipe(x * turn < 0 ? 1 : -1);
    });
  }
  frame.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
      const factor = Math.exp(-event.deltaY * lines * PER_WHEEL);
      show(zoomed(zoom, factor, placeOf({ x: event.clientX, y: event.clientY })));
    },
    { passive: false },
  );
  image.addEventListener("dblclick", ({ clientX: x, clientY: y }) =>
    show(zoom.scale > 1 ? WHOLE : zoomed(zoom, TAPS, placeOf({ x, y }))),
  );

  return {
    /** Shows the whole picture. */
    reset() {
      down.clear();
      show(WHOLE);
    },
    enlarge: () => show(zoomed(zoom, STEP, { x: 0, y: 0 })),
    reduce: () => show(zoomed(zoom, 1 / STEP, { x: 0, y: 0 })),
    isZoomed: () => zoom.scale > 1,
  };
}
