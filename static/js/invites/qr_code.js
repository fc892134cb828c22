/** Draws a text as a QR code. */

import { qrCode } from "./qr.js";

/** The light border that readers of QR codes need, in modules. */
const MARGIN = 4;
const SVG = "http://www.w3.org/2000/svg";

/** Draws the QR code of a text; null if the text is too long for one. */
export function drawn(/** @type {string} */ text, /** @type {string} */ label) {
  const squares = qrCode(text);
  if (!squares) return null;
  const size = squares.length + 2 * MARGIN;
  const steps = squares.flatMap((row, y) =>
    row.flatMap((dark, x) => (dark ? [`M${x + MARGIN} ${y + MARGIN}h1v1h-1z`] : [])),
  );
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", steps.join(""));
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", `0 0 ${size} ${size}`);
  svg.setAttribute("class", "qr");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", label);
  svg.append(path);
  return svg;
}
