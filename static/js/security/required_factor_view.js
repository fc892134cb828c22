/**
 * The page for somebody whose account can be used only once it has a second factor: sets up one-time codes, then the
 * client starts as usual.
 */

import { logOut } from "../sign_in/log_out.js";
import { h } from "../ui/dom.js";
import { busyForm } from "../ui/field.js";
import { mark } from "../ui/icons.js";
import { t } from "../words/words.js";
import { createFactorSetup } from "./factor_setup.js";

export function createRequiredFactor(/** @type {import("../app/app.js").App} */ app) {
  const title = h("h1", { class: "sign-in-title", tabindex: "-1" }, t("Set up a second factor"));
  const setup = createFactorSetup(app);
  const alert = h("p", { class: "alert", role: "alert" });
  const submit = h("button", { class: "button button-primary button-wide", type: "submit" }, t("Continue"));
  const form = h("form", { class: "sign-in-form", novalidate: true }, setup.node, alert, submit);
  form.addEventListener(
    "submit",
    busyForm(submit, alert, async () => {
      if (await setup.next()) app.resume();
    }),
  );
  const leave = h(
    "button",
    { class: "button-link", type: "button", onclick: () => logOut(app) },
    t("Log out"),
  );
  const node = h(
    "main",
    { class: "sign-in" },
    h(
      "div",
      { class: "sign-in-card" },
      h("p", { class: "brand" }, mark(), "Coterie"),
      title,
      h(
        "p",
        {},
        t("This server asks everybody for a second factor. Your conversations open once you have one."),
      ),
      form,
      h("p", { class: "sign-in-other" }, leave),
    ),
  );
  let isBegun = false;

  return {
    node,
    show(/** @type {import("../sync/state.js").State} */ { phase }) {
      if (phase !== "factor" || isBegun) return;
      isBegun = true;
      document.title = `${t("Set up a second factor")} · Coterie`;
      title.focus();
      // The page begins with why it is there.
      setup.begin(false);
    },
    focus: () => title.focus(),
  };
}
