/**
 * The section of the account that says how the client looks on this device. A choice is in
 * force at once.
 */

import { h } from "../dom.js";
import { look, setLook } from "../look.js";
import { choice } from "./field.js";

export function createLook() {
  const { theme, contrast, density } = look();
  const themes = choice({
    label: "Colours",
    value: theme,
    options: [
      { value: "", label: "As this device" },
      { value: "light", label: "Light" },
      { value: "dark", label: "Dark" },
    ],
  });
  const contrasts = choice({
    label: "Contrast",
    value: contrast,
    options: [
      { value: "", label: "As this device" },
      { value: "more", label: "High" },
    ],
  });
  const densities = choice({
    label: "Spacing",
    value: density,
    options: [
      { value: "", label: "Comfortable" },
      { value: "compact", label: "Compact" },
    ],
  });
  const set = () =>
    setLook({
      theme: /** @type {import("../look.js").Look["theme"]} */ (themes.input.value),
      contrast: /** @type {import("../look.js").Look["contrast"]} */ (contrasts.input.value),
      density: /** @type {import("../look.js").Look["density"]} */ (densities.input.value),
    });
  for (const { input } of [themes, contrasts, densities]) input.addEventListener("change", set);
  return h(
    "section",
    { "aria-label": "Appearance" },
    h("h3", {}, "Appearance"),
    h("p", { class: "quiet" }, "For this device only."),
    h("div", { class: "look" }, themes.node, contrasts.node, densities.node),
  );
}
