/** The contents at the left of a wide page: the headings of the guide and the sections of the reference. */

import { h } from "../js/ui/dom.js";

/** How far below the upper edge a heading counts as the one being read, in pixels. */
const READING_PX = 140;

/** Fills the list; each entry leads to its place, and the one that is being read is marked. */
export function fillContents(
  /** @type {HTMLElement} */ node,
  /** @type {HTMLElement} */ guide,
  /** @type {string[]} */ sections,
) {
  const headings = /** @type {HTMLElement[]} */ ([...guide.querySelectorAll("h2")]);
  for (const heading of headings) heading.id ||= nameOf(heading.textContent ?? "");
  const links = [
    ...headings.map((heading) => link(heading.id, heading.textContent ?? "")),
    ...sections.map((name) => link(name, name)),
  ];
  const list = (/** @type {HTMLElement[]} */ some) => h("ul", {}, ...some.map((one) => h("li", {}, one)));
  node.replaceChildren(
    h("p", { class: "contents-title" }, "Guide"),
    list(links.slice(0, headings.length)),
    h("p", { class: "contents-title" }, "Reference"),
    list(links.slice(headings.length)),
  );
  let isPlanned = false;

  function mark() {
    isPlanned = false;
    const places = links.map((one) => document.getElementById(decodeURIComponent(one.hash.slice(1))));
    const read = places.findLastIndex(
      (place) => place && !place.hidden && place.getBoundingClientRect().top <= READING_PX,
    );
    links.forEach((one, at) => {
      if (at !== read) one.removeAttribute("aria-current");
      else if (!one.hasAttribute("aria-current")) {
        one.setAttribute("aria-current", "true");
        // The list scrolls by itself; the page stays.
        const { offsetTop, offsetHeight } = one;
        if (offsetTop < node.scrollTop || offsetTop + offsetHeight > node.scrollTop + node.clientHeight)
          node.scrollTop = offsetTop - node.clientHeight / 2;
      }
    });
  }

  const plan = () => {
    if (isPlanned) return;
    isPlanned = true;
    requestAnimationFrame(mark);
  };
  addEventListener("scroll", plan, { passive: true });
  plan();
}

const link = (/** @type {string} */ id, /** @type {string} */ words) =>
  h("a", { href: `#${encodeURIComponent(id)}` }, words);

/** A name for an address: "3. Make the first calls" becomes "make-the-first-calls". */
const nameOf = (/** @type {string} */ words) =>
  words
    .toLowerCase()
    .replace(/^\d+\.\s*/, "")
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/-+$/, "");
