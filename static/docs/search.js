/** Searches the page: hides all pieces that do not contain every word. */

import { h, setText } from "../js/ui/dom.js";

/**
 * A part of the guide from one heading to the next, or one entry of the reference; `text` is in lower case.
 */
/** @typedef {{ nodes: HTMLElement[], text: string }} Piece */

/** A search field that hides all but the matches. */
export function createSearch(/** @type {HTMLElement} */ guide, /** @type {HTMLElement} */ reference) {
  const input = h("input", {
    class: "input",
    id: "search",
    type: "search",
    autocomplete: "off",
    placeholder: "like, upload, webhook …",
    oninput: look,
  });
  const found = h("p", { class: "quiet", role: "status" });
  const node = h(
    "search",
    { class: "search" },
    h("label", { class: "label", for: "search" }, "Search the guide and the reference"),
    input,
    found,
  );
  /** @type {Piece[]} */
  let pieces = [];

  function look() {
    if (pieces.length === 0) pieces = [...stretches(guide), ...entries(reference)];
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const { nodes, text } of pieces) {
      const isFound = words.every((word) => text.includes(word));
      count += isFound ? 1 : 0;
      for (const one of nodes) one.hidden = !isFound;
    }
    for (const section of /** @type {NodeListOf<HTMLElement>} */ (reference.querySelectorAll("section")))
      section.hidden = section.querySelector("details:not([hidden])") === null;
    setText(found, words.length === 0 ? "" : count === 1 ? "1 place" : `${count} places`);
  }

  return { node, input };
}

/** @returns {Piece[]} */
function stretches(/** @type {HTMLElement} */ guide) {
  /** @type {HTMLElement[][]} */
  const parts = [[]];
  for (const node of /** @type {Iterable<HTMLElement>} */ (guide.children)) {
    if (node.tagName === "H1") continue;
    if (node.tagName === "H2") parts.push([]);
    parts.at(-1)?.push(node);
  }
  return parts.map((nodes) => ({ nodes, text: textOf(...nodes) }));
}

/** @returns {Piece[]} */
function entries(/** @type {HTMLElement} */ reference) {
  const all = /** @type {NodeListOf<HTMLElement>} */ (reference.querySelectorAll("details"));
  return [...all].map((node) => ({ nodes: [node], text: textOf(node) }));
}

const textOf = (/** @type {HTMLElement[]} */ ...nodes) =>
  nodes.map((node) => node.textContent?.toLowerCase() ?? "").join(" ");
