/**
 * A part of the page onto which files can be dragged: says that they can be dropped, and takes them. A file
 * dropped outside such a part would make the browser leave the page.
 */

import { h } from "../ui/dom.js";

const holdsFiles = (/** @type {DragEvent} */ event) => event.dataTransfer?.types.includes("Files") ?? false;

/**
 * @param {HTMLElement} place
 * @param {{ words: string, isOpen: () => boolean, onFiles: (files: FileList) => void }} parts
 */
export function createDropZone(place, { words, isOpen, onFiles }) {
  const sign = h("p", { class: "drop", hidden: true }, words);
  /** How many nested elements the pointer is in: a child is entered before its parent is left. */
  let depth = 0;

  function over(/** @type {DragEvent} */ event) {
    if (!holdsFiles(event) || !isOpen()) return;
    event.preventDefault();
  }

  function count(/** @type {number} */ step) {
    return (/** @type {DragEvent} */ event) => {
      if (!holdsFiles(event) || !isOpen()) return;
      depth = Math.max(0, depth + step);
      sign.hidden = depth === 0;
    };
  }

  place.addEventListener("dragover", over);
  place.addEventListener("dragenter", count(1));
  place.addEventListener("dragleave", count(-1));
  place.addEventListener("drop", (event) => {
    depth = 0;
    sign.hidden = true;
    if (!holdsFiles(event) || !isOpen() || !event.dataTransfer) return;
    event.preventDefault();
    onFiles(event.dataTransfer.files);
  });
  place.append(sign);
}
