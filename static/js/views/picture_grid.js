/**
 * The pictures of a message: one in its own proportions, a few in rows of equal height, many as tiles. A
 * picture's URL contains its size, so that the layout does not move when it loads.
 */

import { h } from "../dom.js";
import { formOf, opened, sizeOf } from "../pictures.js";
import { t } from "../words.js";

/** Up to this many pictures are shown in rows, more as small square tiles. */
const FEW = 4;
/** The largest size of a picture, in CSS pixels. */
const WIDEST = 420;
const HIGHEST = 360;
/** Limits of width divided by height: pictures beyond them are cropped. */
const SLIMMEST = 0.5;
const BROADEST = 2.5;

/**
 * @param {{ url: string }[]} pictures
 * @param {string} whose the alternative text
 */
export function pictureGrid(pictures, whose) {
  const isTiled = pictures.length > FEW;
  const look = isTiled
    ? "pictures pictures-tiled"
    : pictures.length > 1
      ? "pictures pictures-row"
      : "pictures";
  const all = pictures.map(({ url }, at) => {
    const label =
      pictures.length > 1
        ? t("{whose}, {at} of {count}", { whose, at: at + 1, count: pictures.length })
        : whose;
    return picture(url, label, isTiled);
  });
  return h("div", { class: look }, ...all);
}

function picture(/** @type {string} */ url, /** @type {string} */ alt, /** @type {boolean} */ isTile) {
  const size = sizeOf(url) ?? { width: 4, height: 3 };
  const ratio = Math.min(BROADEST, Math.max(SLIMMEST, size.width / size.height));
  const width = Math.round(Math.min(WIDEST, HIGHEST * ratio));
  const height = Math.round(width / ratio);
  const src = formOf(url, isTile ? "preview" : "large");
  const image = h("img", { src, alt, loading: "lazy", width, height });
  const link = h("a", { class: "picture", href: opened(url), rel: "noopener", target: "_blank" }, image);
  link.style.setProperty("--ratio", String(isTile ? 1 : ratio));
  link.style.setProperty("--width", `${width}px`);
  return link;
}
