/** The settings of the place, for operators: those that an option fixes are shown and cannot be changed. */

import { reasonOf } from "../text/reason.js";
import { h, setText } from "../ui/dom.js";
import { allRight, busyForm, check, choice, field, lines } from "../ui/field.js";
import { t } from "../words/words.js";
import { reasonField } from "./reason_field.js";

/** @typedef {import("./admin_calls.js").AdminSettings} AdminSettings */
/** @typedef {"name" | "greeting" | "contact"} TextSetting */

const FIXED = t("An option of the server fixes this.");
/** Words about modes of registration with work for operators. @type {Record<string, string>} */
const MODES = {
  invite: t("Operators invite people under Invitations. Links of groups invite people, too."),
  approval: t("Everybody may ask, with a sentence. Operators approve or refuse them under Requests."),
};

export function createAdminSettings(/** @type {import("./admin_calls.js").AdminCalls} */ calls) {
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
      { value: "invite", label: t("Who is invited") },
      { value: "domain", label: t("Who confirms an address of certain domains") },
      { value: "approval", label: t("Whom operators approve") },
    ],
  });
  const modeWords = h("p", { class: "quiet", role: "status" });
  const domains = field({
    label: t("Domains whose addresses may register"),
    hint: t("Like example.org, example.com"),
    name: "domains",
    autocomplete: "off",
  });
  const showDomains = check({
    label: t("Show the domains"),
    hint: t("People see them before they log in."),
  });
  const passwords = choice({
    label: t("Who may log in with a password"),
    options: [
      { value: "on", label: t("Everybody") },
      { value: "operators", label: t("Operators only") },
      { value: "off", label: t("Nobody: only by single sign-on or passkey") },
    ],
  });
  const secondFactor = choice({
    label: t("Who must have a second factor"),
    hint: t("People who have none get 14 days to set up one-time codes."),
    options: [
      { value: "optional", label: t("Nobody has to have one") },
      { value: "operators", label: t("Operators") },
      { value: "everyone", label: t("Everybody") },
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
  const dmFrom = choice({
    label: t("Who can write to people first"),
    hint: t("People can choose something else in their account."),
    options: [
      { value: "everyone", label: t("Everybody") },
      { value: "shared_groups", label: t("People who share a group with them") },
      { value: "requests", label: t("People who share a group with them; others send a request") },
      { value: "nobody", label: t("Nobody new") },
    ],
  });
  const switches = {
    second_factor: secondFactor,
    directory,
    guests,
    mail_shows_text: mailShowsText,
    dm_from: dmFrom,
  };
  const reason = reasonField();
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
    modeWords,
    domains.node,
    showDomains.node,
    passwords.node,
    secondFactor.node,
    directory.node,
    guests.node,
    mailShowsText.node,
    dmFrom.node,
    reason.node,
    alert,
    outcome,
    submit,
  );
  form.addEventListener("submit", busyForm(submit, alert, save));
  registration.input.addEventListener("change", shape);
  const node = h("section", { "aria-label": t("Settings") }, h("h3", {}, t("Settings")), form);
  const texts = { name, greeting, contact };
  /** @type {AdminSettings | null} */
  let known = null;
  /** @type {import("./admin_calls.js").AdminRegistration | null} */
  let registered = null;

  async function load() {
    setText(alert, "");
    setText(outcome, "");
    // What is typed before the settings are here would be lost.
    for (const one of [...Object.values(texts), registration, passwords, ...Object.values(switches)])
      one.input.disabled = true;
    try {
      await showAll();
    } catch (error) {
      setText(alert, reasonOf(error));
    }
  }

  async function showAll() {
    const [settings, now] = await Promise.all([calls.settings(), calls.registration()]);
    registered = now;
    domains.input.value = now.domains.join(", ");
    domains.complain("");
    showDomains.input.checked = now.show_domains;
    show(settings);
    domains.input.disabled = showDomains.input.disabled = registration.input.disabled;
    shape();
  }

  /** Shows the domains where they count, and how operators approve or invite. */
  function shape() {
    const mode = registration.input.value;
    domains.node.hidden = showDomains.node.hidden = mode !== "domain";
    const words = MODES[mode] ?? "";
    modeWords.hidden = words === "";
    setText(modeWords, words);
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
    if (!known || !registered) return;
    setText(outcome, "");
    const why = reason.input.value.trim();
    const mode = registration.input.value;
    const named = domains.input.value.split(/[\s,]+/).filter(Boolean);
    const fine = allRight([
      [domains, mode === "domain" && named.length === 0 && t("Enter a domain, like example.org.")],
      [reason, why === "" && t("Enter a reason.")],
    ]);
    if (!fine) return;
    /** @type {import("./admin_calls.js").SettingsChange} */
    const change = { reason: why };
    for (const of of /** @type {TextSetting[]} */ (Object.keys(texts))) {
      const value = texts[of].input.value.trim() || null;
      if (value !== known[of].value) change[of] = value;
    }
    if (passwords.input.value !== known.password_login.value) change.password_login = passwords.input.value;
    for (const of of /** @type {(keyof typeof switches)[]} */ (Object.keys(switches))) {
      const { value } = switches[of].input;
      if (value !== known[of].value) change[of] = value;
    }
    const isMore = Object.keys(change).length > 1;
    if (isMore) await calls.setSettings(change);
    const isOther =
      named.join() !== registered.domains.join() || showDomains.input.checked !== registered.show_domains;
    if (mode !== registered.mode || (mode === "domain" && isOther)) {
      const whose = mode === "domain" ? { domains: named, show_domains: showDomains.input.checked } : {};
      await calls.setRegistration({ mode, ...whose, reason: why });
    }
    await showAll();
    setText(outcome, t("Saved."));
  }

  return { node, load };
}
