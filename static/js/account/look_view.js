/**
 * The section of the account page for the client's appearance on this device. A choice takes effect at once.
 */

import { h } from "../ui/dom.js";
import { choice } from "../ui/field.js";
import { LANGUAGES, t } from "../words/words.js";
import { look, setLook } from "./look.js";

export function createLook() {
  const { theme, accent, contrast, density, language } = look();
  const themes = choice({
    label: t("Colours"),
    value: theme,
    options: [
      { value: "", label: t("Same as this device") },
      { value: "light", label: t("Light") },
      { value: "dark", label: t("Dark") },
    ],
  });
  const accents = choice({
    label: t("Accent colour"),
    value: accent,
    options: [
      { value: "", label: t("Teal") },
      { value: "blue", label: t("Blue") },
      { value: "violet", label: t("Violet") },
      { value: "pink", label: t("Pink") },
      { value: "brown", label: t("Brown") },
    ],
  });
  const contrasts = choice({
    label: t("Contrast"),
    value: contrast,
    options: [
      { value: "", label: t("Same as this device") },
      { value: "more", label: t("High") },
    ],
  });
  const densities = choice({
    label: t("Spacing"),
    value: density,
    options: [
      { value: "", label: t("Comfortable") },
      { value: "compact", label: t("Compact") },
    ],
  });
  const languages = choice({
    label: t("Language"),
    value: language,
    options: [{ value: "", label: t("Same as this device") }, ...LANGUAGES],
  });
  languages.input.addEventListener("change", () => {
    setLook({ language: languages.input.value });
    // Words are looked up only once, when the modules load.
    location.reload();
  });
  const set = () =>
    setLook({
      theme: /** @type {import("./look.js").Look["theme"]} */ (themes.input.value),
      accent: /** @type {import("./look.js").Look["accent"]} */ (accents.input.value),
      contrast: /** @type {import("./look.js").Look["contrast"]} */ (contrasts.input.value),
      density: /** @type {import("./look.js").Look["density"]} */ (densities.input.value),
    });
  for (const { input } of [themes, accents, contrasts, densities]) input.addEventListener("change", set);
  return h(
    "section",
    { "aria-label": t("Appearance") },
    h("h3", {}, t("Appearance")),
    h("p", { class: "quiet" }, t("For this device only.")),
    h("div", { class: "look" }, themes.node, accents.node, contrasts.node, densities.node, languages.node),
  );
}
