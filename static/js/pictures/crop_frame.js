/**
 * A picture with the frame that crops it: eight handles, and the place between them, which moves it.
 *
 * Owns the pointer that drags, and the keys. The caller owns the frame. Everything follows the picture and not the
 * writing direction: an arrow key moves to the side that it shows.
 */

import { h } from "../ui/dom.js";
import { locale, t } from "../words/words.js";
import { moved, resized, resizedSquare } from "./crop.js";

/** @typedef {import("./crop.js").Frame} Frame */
/** @typedef {import("./crop.js").Handle} Handle */
/** @typedef {import("./crop.js").Shift} Shift */
/** @typedef {{ frame: Frame, picture: import("./crop.js").Size, isSquare: boolean }} Crop */

/** How far an arrow key moves, as a share of the picture; and with Shift. */
const STEP = 0.01;
const STEP_WITH_SHIFT = 0.1;
/** @type {Record<string, Shift | undefined>} */
const ARROWS = {
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
  ArrowUp: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 },
};

/** What moves the whole frame has no handle. @type {{ name: string, look: string, handle: Handle | null }[]} */
const GRIPS = [
  { name: t("Frame"), look: "crop-mover", handle: null },
  { name: t("Top left corner"), look: "crop-falling", handle: { x: -1, y: -1 } },
  { name: t("Top edge"), look: "crop-upright", handle: { x: 0, y: -1 } },
  { name: t("Top right corner"), look: "crop-rising", handle: { x: 1, y: -1 } },
  { name: t("Right edge"), look: "crop-level", handle: { x: 1, y: 0 } },
  { name: t("Bottom right corner"), look: "crop-falling", handle: { x: 1, y: 1 } },
  { name: t("Bottom edge"), look: "crop-upright", handle: { x: 0, y: 1 } },
  { name: t("Bottom left corner"), look: "crop-rising", handle: { x: -1, y: 1 } },
  { name: t("Left edge"), look: "crop-level", handle: { x: -1, y: 0 } },
];

const percent = new Intl.NumberFormat(locale, { style: "percent" });

/**
 * @param {HTMLCanvasElement} canvas the picture
 * @param {(frame: Frame) => void} onChange
 */
export function createCropFrame(canvas, onChange) {
  /** @type {Crop | null} */
  let crop = null;
  /** The pointer that drags. @type {{ id: number, x: number, y: number, before: Crop } | null} */
  let drag = null;

  const grips = GRIPS.map(({ name, look, handle }) => {
    const node = h("div", {
      class: handle ? `crop-handle ${look}` : look,
      role: "slider",
      tabindex: "0",
      "aria-label": name,
      "aria-valuemin": 0,
      "aria-valuemax": 100,
      onkeydown: (/** @type {KeyboardEvent} */ event) => pressed(event, handle),
      onpointerdown: begin,
      onpointermove: (/** @type {PointerEvent} */ event) => go(event, handle),
      onpointerup: end,
      onpointercancel: end,
    });
    if (handle?.x === 0) node.setAttribute("aria-orientation", "vertical");
    if (handle) {
      node.style.left = `${(handle.x + 1) * 50}%`;
      node.style.top = `${(handle.y + 1) * 50}%`;
    }
    return { node, handle };
  });
  const hole = h("div", { class: "crop-hole" });
  const box = h("div", { class: "crop-frame" }, ...grips.map(({ node }) => node));
  const node = h(
    "div",
    { class: "crop-stage", dir: "ltr", hidden: true },
    canvas,
    h("div", { class: "crop-shade" }, hole),
    box,
  );

  /** The frame after a shift of a handle, or of the whole. */
  function shifted(
    /** @type {Crop} */ { frame, picture, isSquare },
    /** @type {Handle | null} */ handle,
    /** @type {Shift} */ by,
  ) {
    if (!handle) return moved(frame, by, picture);
    return (isSquare ? resizedSquare : resized)(frame, handle, by, picture);
  }

  function pressed(/** @type {KeyboardEvent} */ event, /** @type {Handle | null} */ handle) {
    const way = ARROWS[event.key];
    if (!way || !crop || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const step = event.shiftKey ? STEP_WITH_SHIFT : STEP;
    const { width, height } = crop.picture;
    onChange(shifted(crop, handle, { x: way.x * step * width, y: way.y * step * height }));
  }

  function begin(/** @type {PointerEvent} */ event) {
    const { button, currentTarget, pointerId: id, clientX: x, clientY: y } = event;
    if (drag || !crop || button !== 0 || !(currentTarget instanceof HTMLElement)) return;
    // No text is selected, and the focus goes where the pointer is.
    event.preventDefault();
    currentTarget.focus({ preventScroll: true });
    currentTarget.setPointerCapture(id);
    drag = { id, x, y, before: crop };
  }

  function go(/** @type {PointerEvent} */ event, /** @type {Handle | null} */ handle) {
    if (!drag || event.pointerId !== drag.id) return;
    const { width, height } = drag.before.picture;
    const shown = canvas.getBoundingClientRect();
    const by = {
      x: ((event.clientX - drag.x) * width) / shown.width,
      y: ((event.clientY - drag.y) * height) / shown.height,
    };
    onChange(shifted(drag.before, handle, by));
  }

  function end(/** @type {PointerEvent} */ event) {
    if (!drag || event.pointerId !== drag.id) return;
    const { before } = drag;
    drag = null;
    if (event.type === "pointercancel") onChange(before.frame);
  }

  return {
    node,
    /** Focuses what moves the whole frame. */
    focus: () => grips[0].node.focus({ preventScroll: true }),
    show(/** @type {Crop} */ next) {
      crop = next;
      node.hidden = false;
      const { frame, picture } = next;
      node.style.setProperty("--ratio", String(picture.width / picture.height));
      for (const one of [hole, box]) {
        one.style.left = `${(100 * frame.x) / picture.width}%`;
        one.style.top = `${(100 * frame.y) / picture.height}%`;
        one.style.width = `${(100 * frame.width) / picture.width}%`;
        one.style.height = `${(100 * frame.height) / picture.height}%`;
      }
      for (const grip of grips) {
        const { value, words } = placeOf(next, grip.handle);
        grip.node.setAttribute("aria-valuenow", String(value));
        grip.node.setAttribute("aria-valuetext", words);
      }
    },
  };
}

/** Where a handle is, from the left and from the top: one number for screen readers, and words. */
function placeOf(/** @type {Crop} */ { frame, picture }, /** @type {Handle | null} */ handle) {
  const { x: across, y: down } = handle ?? { x: -1, y: -1 };
  const left = (frame.x + (across > 0 ? frame.width : 0)) / picture.width;
  const top = (frame.y + (down > 0 ? frame.height : 0)) / picture.height;
  const value = Math.round(100 * (across === 0 ? top : left));
  if (across === 0 || down === 0) return { value, words: percent.format(value / 100) };
  const words = t("{x} from the left, {y} from the top", { x: percent.format(left), y: percent.format(top) });
  return { value, words };
}
