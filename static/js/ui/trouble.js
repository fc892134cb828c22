/**
 * A bar over the page that says what failed, if no form can say it.
 *
 * It stays until it is closed or `STAYS_MS` have passed.
 */

import { t } from "../words/words.js";
import { h, setText } from "./dom.js";
import { icon } from "./icons.js";

const STAYS_MS = 12_000;

export function createTrouble(/** @type {import("../app/app.js").App} */ app) {
  const words = h("p", { role: "alert" });
  const end = () => app.complain("");
  const close = h(
    "button",
    { class: "button-icon", type: "button", "aria-label": t("Close"), onclick: end },
    icon("close"),
  );
  const node = h("div", { class: "trouble", hidden: true }, words, close);
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;

  return {
    node,
    show(/** @type {import("../sync/state.js").State} */ { trouble }) {
      if (words.textContent === trouble) return;
      clearTimeout(timer);
      node.hidden = trouble === "";
      setText(words, trouble);
      if (trouble) timer = setTimeout(end, STAYS_MS);
    },
  };
}
