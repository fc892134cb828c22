/** The settings of the place, for operators: those that an option fixes are shown and cannot be changed. */

import { h, setText } from "../dom.js";
import { t } from "../words.js";
import { allRight, busyForm, choice, field, lines } from "./field.js";

/** @typedef {import("../admin_calls.js").AdminSettings} AdminSettings */
/** @typedef {"name" | "greeting" | "contact"} TextSetting */

const FIXED = t("An option of the server fixes this.");

export function createAdminSettings(/** @type {import("../admin_calls.js").AdminCalls} */ calls) {
  const name = field({ label: t("Name of the place"), name: "name", autocomplete: "off", maxlength: 100 });
  const greeting = lines({
    label: t("Words of greeting"),
    hint: t("People see them before they log in."),
    name: "greeting",
    maxlength: 1000,
  });
  const contact = field({
    label: t("Contact"),
    hint: t("Whom people ask for help, like admin@example.org."),
    name: "contact",
    autocomplete: "off",
    maxlength: 200,
  });
  const registration = choice({
    label: t("Who may create an account"),
    options: [
      { value: "open", label: t("Everybody") },
      { value: "closed", label: t("Nobody: operators create accounts") },
    ],
  });
  const reason = field({
    label: t("Reason"),
    hint: t("It is written to the audit log."),
    name: "reason",
    autocomplete: "off",
    maxlength: 500,
  });
  const alert = h("p", { class: "alert", role: "alert" });
  const outcome = h("p", { class: "outcome", role: "status" });
  const submit = h("button", { class: "button button-primary", type: "submit" }, t("Save"));
  const form = h(
    "form",
    { class: "account-form", novalidate: true },
    name.node,
    greeting.node,
    contact.node,
    registration.node,
    reason.node,
    alert,
    outcome,
    submit,
  );
  form.addEventListener("submit", busyForm(submit, alert, save));
  const node = h("section", { "aria-label": t("Settings") }, h("h3", {}, t("Settings")), form);
  const texts = { name, greeting, contact };
  /** @type {AdminSettings | null} */
  let known = null;

  async function load() {
    setText(alert, "");
    setText(outcome, "");
    try {
      show(await calls.settings());
    } catch (error) {
      setText(alert, error instanceof Error ? error.message : String(error));
    }
  }

  function show(/** @type {AdminSettings} */ settings) {
    known = settings;
    for (const [of, one] of Object.entries({ ...texts, registration })) {
      const { value, source } = settings[/** @type {keyof AdminSettings} */ (of)];
      const isFixed = source === "option" || source === "environment";
      one.input.value = value ?? "";
      one.input.disabled = isFixed;
      one.complain("");
      one.node.title = isFixed ? FIXED : "";
    }
    reason.input.value = "";
  }

  async function save() {
    if (!known) return;
    setText(outcome, "");
    const why = reason.input.value.trim();
    if (!allRight([[reason, why === "" && t("Enter a reason.")]])) return;
    /** @type {import("../admin_calls.js").SettingsChange} */
    const change = { reason: why };
    for (const of of /** @type {TextSetting[]} */ (Object.keys(texts))) {
      const value = texts[of].input.value.trim() || null;
      if (value !== known[of].value) change[of] = value;
    }
    const mode = registration.input.value;
    const isTexts = Object.keys(change).length > 1;
    if (isTexts) await calls.setSettings(change);
    if (mode !== known.registration.value) await calls.setRegistration(mode, why);
    show(await calls.settings());
    setText(outcome, t("Saved."));
  }

  return { node, load };
}
