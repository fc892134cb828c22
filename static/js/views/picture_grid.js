/**
 * The pictures of a message: one at its own proportions, a few in rows as high as each
 * other, many as tiles. The address of a picture names its size, so that nothing moves when
 * it comes.
 */

import { h } from "../dom.js";
import { formOf, opened, sizeOf } from "../pictures.js";
import { t } from "../words.js";

/** Beyond so many, small square ones are enough to choose from. */
const FEW = 4;
/** The most room for a single picture. */
const WIDEST = 420;
const HIGHEST = 360;
/** Very wide and very high ones are cut to these proportions. */
const SLIMMEST = 0.5;
const BROADEST = 2.5;

/**
 * @param {{ url: string }[]} pictures
 * @param {string} whose words for those who do not see them
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
