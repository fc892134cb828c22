/**
 * The window in which a picture is cropped and turned before it is sent.
 *
 * Owns the turns, the frame and the shape while the window is open. What comes of the picture is decided by `onDone`.
 */

import { openForm } from "../ui/dialog_form.js";
import { h, setText } from "../ui/dom.js";
import { icon } from "../ui/icons.js";
import { t } from "../words/words.js";
import { isWhole, squared, turned, turnedSize, whole } from "./crop.js";
import { createCropFrame } from "./crop_frame.js";
import { decoded, draw, encoded } from "./picture_pixels.js";

/** The longest side of the picture in the window, in pixels. */
const SHOWN_SIDE_MOST = 1600;

let made = 0;

/**
 * @param {object} options
 * @param {string} options.name the name of the picture's file
 * @param {import("./crop.js").Size} options.size
 * @param {() => Promise<Blob>} options.load
 * @param {(file: File) => void} options.onDone gets the changed picture; is not called for one that was not changed
 */
export function openPictureEditor({ name, size, load, onDone }) {
  made += 1;
  /** Quarters to the right. */
  let turns = 0;
  let picture = size;
  let frame = whole(size);
  let isSquare = false;
  /** @type {ImageBitmap | null} */
  let bitmap = null;

  const canvas = h("canvas", { class: "crop-picture", role: "img", "aria-label": name });
  const crop = createCropFrame(canvas, (next) => {
    frame = next;
    show();
  });
  const about = h("p", { class: "crop-about quiet", role: "status" }, t("Loading…"));
  const free = shape(t("Free"), true, () => {});
  const square = shape(t("Square"), false, () => {
    frame = squared(frame);
  });

  function shape(
    /** @type {string} */ label,
    /** @type {boolean} */ checked,
    /** @type {() => void} */ onChosen,
  ) {
    const onchange = () => {
      isSquare = square.input.checked;
      onChosen();
      show();
    };
    const input = h("input", { type: "radio", name: `crop-shape-${made}`, checked, onchange });
    return { input, node: h("label", { class: "segment" }, input, h("span", {}, label)) };
  }

  function turn(/** @type {1 | -1} */ way) {
    if (!bitmap) return;
    frame = turned(frame, way, picture);
    picture = turnedSize(picture);
    turns = (turns + way + 4) % 4;
    paint(bitmap);
  }

  function reset() {
    isSquare = false;
    free.input.checked = true;
    frame = whole(picture);
    show();
  }

  function paint(/** @type {ImageBitmap} */ pixels) {
    draw(canvas, pixels, { turns, part: whole(picture), sideMost: SHOWN_SIDE_MOST });
    show();
  }

  function show() {
    if (!bitmap) return;
    crop.show({ frame, picture, isSquare });
    const [width, height] = [Math.round(frame.width), Math.round(frame.height)];
    setText(about, t("{width} × {height} pixels", { width, height }));
  }

  async function save(/** @type {() => void} */ close) {
    const { pixels, type } = await coming;
    if (turns === 0 && isWhole(frame, picture)) return close();
    const content = await encoded(pixels, { turns, frame, picture, type }).catch(() => {
      throw new Error(t("The picture could not be changed."));
    });
    if (!dialog.open) return;
    // First the focus goes back to what opened the window, and then the picture there changes.
    close();
    onDone(new File([content], name, { type: content.type }));
  }

  async function start() {
    const content = await load();
    return { pixels: await decoded(content, size), type: content.type };
  }

  const coming = start().catch(() => {
    throw new Error(t("This picture cannot be shown."));
  });

  const dialog = openForm({
    title: t("Edit picture"),
    act: t("Done"),
    asks: [
      h("div", { class: "crop" }, crop.node, about),
      h(
        "div",
        { class: "crop-tools" },
        tool(t("Turn left"), "turnLeft", () => turn(-1)),
        tool(t("Turn right"), "turnRight", () => turn(1)),
        tool(t("Whole picture"), "whole", reset),
      ),
      h(
        "div",
        { class: "segments", role: "radiogroup", "aria-label": t("Shape") },
        h("div", { class: "segments-row" }, free.node, square.node),
      ),
    ],
    onSubmit: save,
  });
  dialog.classList.add("dialog-crop");
  // A pointer that slips off the window must not lose the changes.
  dialog.addEventListener("click", (event) => event.target === dialog && event.stopImmediatePropagation(), {
    capture: true,
  });
  dialog.addEventListener("close", () => coming.then(({ pixels }) => pixels.close()).catch(() => {}));

  coming
    .then(({ pixels }) => {
      if (!dialog.open) return;
      bitmap = pixels;
      // A very large picture was reduced.
      picture = { width: pixels.width, height: pixels.height };
      frame = whole(picture);
      if (isSquare) frame = squared(frame);
      paint(pixels);
      if (document.activeElement === free.input) crop.focus();
    })
    .catch((error) => setText(about, error.message));
  return dialog;
}

const tool = (
  /** @type {string} */ label,
  /** @type {import("../ui/icons.js").IconName} */ sign,
  /** @type {() => void} */ onclick,
) => h("button", { class: "button crop-tool", type: "button", onclick }, icon(sign), label);
