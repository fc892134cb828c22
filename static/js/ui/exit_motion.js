/**
 * The motion with which windows and panels close: a copy of the element fades where it stood.
 *
 * Owns the copies. The element itself is gone at once, so nothing waits for the motion. Nobody can press, focus or
 * hear a copy: it stands in a closed shadow root, which no search of the page enters.
 */

import { h } from "./dom.js";

const MS = 140;
/** Copies of larger elements would take longer than a frame. */
const ELEMENTS_MOST = 1_200;

/** The styles of the page, for the copies. @type {CSSStyleSheet | undefined} */
let styles;

function pageStyles() {
  if (styles) return styles;
  const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]);
  styles = new CSSStyleSheet();
  styles.replaceSync(rules.map(({ cssText }) => cssText).join("\n"));
  return styles;
}

/** Starts the motion of an element that is about to close. */
export function fadeOut(/** @type {HTMLElement} */ element) {
  const { left, top, width, height } = element.getBoundingClientRect();
  const wantsLess = matchMedia("(prefers-reduced-motion: reduce)").matches;
  if (wantsLess || document.hidden || width === 0) return;
  const host = h("div", { class: "leaving", "aria-hidden": "true", inert: true });
  host.style.background = getComputedStyle(element, "::backdrop").backgroundColor;
  if (element.getElementsByTagName("*").length < ELEMENTS_MOST) {
    const { display, flexDirection } = getComputedStyle(element);
    const copy = copyOf(element);
    const place = { left, top, width, height };
    for (const [name, px] of Object.entries(place)) copy.style.setProperty(name, `${px}px`);
    for (const name of ["max-width", "max-height"]) copy.style.setProperty(name, "none");
    for (const [name, value] of [
      ["display", display],
      ["flex-direction", flexDirection],
      ["position", "fixed"],
      ["margin", "0"],
      ["animation", "none"],
    ])
      copy.style.setProperty(name, value, "important");
    const root = host.attachShadow({ mode: "closed" });
    root.adoptedStyleSheets = [pageStyles()];
    root.append(copy);
  }
  document.body.append(host);
  const motion = host.animate(
    { opacity: [1, 0], translate: ["0 0", "0 6px"] },
    { duration: MS, easing: "ease-in" },
  );
  motion.finished.finally(() => host.remove());
}

/** A copy with what has been typed, and scrolled to the same place once it is drawn. */
function copyOf(/** @type {HTMLElement} */ element) {
  const copy = /** @type {HTMLElement} */ (element.cloneNode(true));
  // An open copy of a window would take the Escape that is meant for the window below.
  copy.removeAttribute("open");
  const originals = element.querySelectorAll("*");
  const copies = copy.querySelectorAll("*");
  for (const [at, original] of originals.entries()) {
    const one = copies[at];
    // A file input takes no value from a script.
    if (original instanceof HTMLTextAreaElement || (original instanceof HTMLInputElement && !original.files))
      /** @type {HTMLInputElement} */ (one).value = original.value;
    const { scrollTop } = original;
    if (scrollTop > 0)
      requestAnimationFrame(() => {
        one.scrollTop = scrollTop;
      });
  }
  return copy;
}
