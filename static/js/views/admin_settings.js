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
  const passwords = choice({
    label: t("Who may log in with a password"),
    options: [
      { value: "on", label: t("Everybody") },
      { value: "operators", label: t("Operators only") },
      { value: "off", label: t("Nobody: only by single sign-on or passkey") },
    ],
  });
  const directory = choice({
    label: t("Directory of groups"),
    options: [
      { value: "on", label: t("On: people find groups that want to be found") },
      { value: "off", label: t("Off") },
    ],
  });
  const guests = choice({
    label: t("Guests"),
    options: [
      { value: "off", label: t("Off") },
      { value: "on", label: t("On: invites of groups may make guests") },
    ],
  });
  const mailShowsText = choice({
    label: t("Text of messages in mails"),
    options: [
      { value: "on", label: t("On: mails about unread messages quote them") },
      { value: "off", label: t("Off: they name the conversations only") },
    ],
  });
  const switches = { directory, guests, mail_shows_text: mailShowsText };
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
    passwords.node,
    directory.node,
    guests.node,
    mailShowsText.node,
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
    // What is typed before the settings are here would be lost.
    for (const one of [...Object.values(texts), registration, passwords, ...Object.values(switches)])
      one.input.disabled = true;
    try {
      show(await calls.settings());
    } catch (error) {
      setText(alert, error instanceof Error ? error.message : String(error));
    }
  }

  function show(/** @type {AdminSettings} */ settings) {
    known = settings;
    const all = { ...texts, registration, password_login: passwords, ...switches };
    for (const [of, one] of Object.entries(all)) {
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
    if (passwords.input.value !== known.password_login.value) change.password_login = passwords.input.value;
    for (const of of /** @type {(keyof typeof switches)[]} */ (Object.keys(switches))) {
      const { value } = switches[of].input;
      if (value !== known[of].value) change[of] = value;
    }
    const isMore = Object.keys(change).length > 1;
    if (isMore) await calls.setSettings(change);
    if (mode !== known.registration.value) await calls.setRegistration(mode, why);
    show(await calls.settings());
    setText(outcome, t("Saved."));
  }

  return { node, load };
}
