/**
 * The pictures of a message: one in its own proportions and never larger than it is, several as a mosaic of rows. A
 * picture's URL contains its size, so that the layout does not move when it loads.
 */

import { h } from "../ui/dom.js";
import { t } from "../words/words.js";
import { rowsOf } from "./mosaic.js";
import { formOf, opened, sizeOf } from "./pictures.js";

/** The largest size of a picture, in CSS pixels. */
const WIDEST = 420;
const HIGHEST = 360;
/** The smallest size, so that a finger can hit it. */
const LEAST = 44;
/** Narrower pictures have no room for the time on them. */
const ROOM_FOR_TIME = 120;
/** Limits of width divided by height: pictures beyond them are cropped. */
const SLIMMEST = 0.5;
const BROADEST = 2.5;
/** The same for pictures in a mosaic. */
const SLIMMEST_IN_MOSAIC = 0.66;
const BROADEST_IN_MOSAIC = 1.9;

/** @typedef {{ url: string }} Picture */

/**
 * @param {Picture[]} pictures
 * @param {string} whose the alternative text
 */
export function pictureGrid(pictures, whose) {
  return pictures.length === 1 ? alone(pictures[0], whose) : mosaic(pictures, whose);
}

function alone(/** @type {Picture} */ { url }, /** @type {string} */ alt) {
  const size = sizeOf(url);
  const ratio = ratioOf(url, SLIMMEST, BROADEST);
  const most = Math.min(WIDEST, HIGHEST * ratio);
  const width = Math.round(Math.max(LEAST, Math.min(most, size?.width ?? most)));
  const link = picture(url, alt, "large", { width, height: Math.round(width / ratio) });
  link.style.setProperty("--width", `${width}px`);
  const look = width < ROOM_FOR_TIME ? "pictures pictures-small" : "pictures";
  return h("div", { class: look }, link);
}

function mosaic(/** @type {Picture[]} */ pictures, /** @type {string} */ whose) {
  const ratios = pictures.map(({ url }) => ratioOf(url, SLIMMEST_IN_MOSAIC, BROADEST_IN_MOSAIC));
  const count = pictures.length;
  let from = 0;
  const rows = rowsOf(ratios).map((length) => {
    const row = h("div", { class: "mosaic-row" });
    const sum = ratios.slice(from, from + length).reduce((all, one) => all + one, 0);
    row.style.setProperty("--ratio", sum.toFixed(4));
    for (const [nth, { url }] of pictures.slice(from, from + length).entries()) {
      const label = t("{whose}, {at} of {count}", { whose, at: from + nth + 1, count });
      const ratio = ratios[from + nth];
      const width = Math.round((WIDEST * ratio) / sum);
      const form = length > 2 ? "preview" : "large";
      const link = picture(url, label, form, { width, height: Math.round(width / ratio) });
      link.style.setProperty("--ratio", ratio.toFixed(4));
      row.append(link);
    }
    from += length;
    return row;
  });
  return h("div", { class: "pictures mosaic" }, ...rows);
}

/** The proportions of a picture within limits; those of a photo where its size is unknown. */
function ratioOf(/** @type {string} */ url, /** @type {number} */ least, /** @type {number} */ most) {
  const { width, height } = sizeOf(url) ?? { width: 4, height: 3 };
  return Math.min(most, Math.max(least, width / height));
}

function picture(
  /** @type {string} */ url,
  /** @type {string} */ alt,
  /** @type {"preview" | "large"} */ form,
  /** @type {{ width: number, height: number }} */ { width, height },
) {
  const image = h("img", { src: formOf(url, form), alt, loading: "lazy", width, height });
  return h("a", { class: "picture", href: opened(url), rel: "noopener", target: "_blank" }, image);
}
