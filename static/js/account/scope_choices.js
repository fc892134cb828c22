/** Boxes for scopes: what a token or an application may do. */

import { h } from "../ui/dom.js";
import { SCOPES } from "./scopes.js";

/**
 * @param {{ label: string, scopes: readonly string[], checked: (scope: string) => boolean }} options
 */
export function scopeChoices({ label, scopes, checked }) {
  const boxes = scopes.map((scope) => box(scope, checked(scope)));
  const node = h(
    "fieldset",
    { class: "scope-choices" },
    h("legend", { class: "label" }, label),
    ...boxes.map((one) => one.node),
  );
  return {
    node,
    /** Ticks what was ticked at first. */
    reset() {
      for (const { scope, input } of boxes) input.checked = checked(scope);
    },
    /** The scopes that are ticked. */
    chosen: () => boxes.filter(({ input }) => input.checked).map(({ scope }) => scope),
  };
}

function box(/** @type {string} */ scope, /** @type {boolean} */ checked) {
  const input = h("input", { class: "check-box", type: "checkbox", name: scope, checked });
  const words = SCOPES[/** @type {keyof typeof SCOPES} */ (scope)];
  const node = h("label", { class: "check" }, input, h("span", { class: "check-label" }, words));
  return { scope, input, node };
}
