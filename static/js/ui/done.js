/**
 * A short word over the page that something was done, where nothing else shows it: a text was copied.
 *
 * It goes away by itself. It is read out by screen readers and takes no focus.
 */

import { h, setText } from "./dom.js";

const STAYS_MS = 4_000;

export function createDone(/** @type {import("../app/app.js").App} */ app) {
  const node = h("p", { class: "done", role: "status" });
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;

  return {
    node,
    show(/** @type {import("../sync/state.js").State} */ { done }) {
      if (node.textContent === done) return;
      clearTimeout(timer);
      setText(node, done);
      if (done) timer = setTimeout(() => app.tell(""), STAYS_MS);
    },
  };
}
