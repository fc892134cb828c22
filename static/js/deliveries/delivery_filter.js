/** The choice of which deliveries are listed: all, or those in one state. */

import { h } from "../ui/dom.js";
import { t } from "../words/words.js";
import { STATES } from "./deliveries.js";

/** @typedef {import("./deliveries.js").State} State */

export function createFilter(/** @type {(state: State | null) => void} */ onChoose) {
  const all = Object.entries({ all: { label: t("All") }, ...STATES });
  return h(
    "fieldset",
    { class: "segments delivery-filter", onchange: choose },
    h("legend", { class: "hidden" }, t("Filter deliveries")),
    h(
      "div",
      { class: "segments-row" },
      ...all.map(([value, { label }], index) =>
        h(
          "label",
          { class: "segment" },
          h("input", { type: "radio", name: "delivery-state", value, checked: index === 0 }),
          h("span", {}, label),
        ),
      ),
    ),
  );

  function choose(/** @type {Event} */ { target }) {
    const { value } = /** @type {HTMLInputElement} */ (target);
    onChoose(value === "all" ? null : /** @type {State} */ (value));
  }
}
