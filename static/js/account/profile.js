/** The sections of the account page for the user's name, email address and phone number, and for SMS mode. */

import { ApiError } from "../sync/api.js";
import { reasonOf } from "../text/reason.js";
import { h, setText } from "../ui/dom.js";
import { allRight, busyForm, choice, field, phoneField } from "../ui/field.js";
import { direction, t } from "../words/words.js";
import { createConfirmation } from "./confirmation.js";

/** For how many hours SMS mode can be turned on. */
const HOURS = [1, 4, 8, 24, 48];

const PHONE_PROBLEM = t("Enter a phone number with its country code, like +1 555 010 0199.");

export function createProfile(/** @type {import("../app/app.js").App} */ app) {
  const name = field({ label: t("Your name"), autocomplete: "name", name: "name", maxlength: 255 });
  const email = field({ label: t("Email"), type: "email", autocomplete: "email", name: "email" });
  const phone = phoneField();
  const password = field({
    label: t("Your password, to change email or phone number"),
    type: "password",
    autocomplete: "current-password",
    name: "password",
  });
  password.node.hidden = true;
  const fields = [name, email, phone, password];
  const alert = h("p", { class: "alert", role: "alert" });
  const outcome = h("p", { class: "outcome", role: "status" });
  const submit = h("button", { class: "button", type: "submit" }, t("Save"));
  const form = h(
    "form",
    { class: "account-form", novalidate: true },
    name.node,
    email.node,
    phone.node,
    password.node,
    alert,
    outcome,
    h("div", {}, submit),
  );
  form.addEventListener("submit", busyForm(submit, alert, save));
  for (const { input } of fields) input.addEventListener("input", () => setText(outcome, ""));
  const sms = createSmsMode(app);
  const confirmation = createConfirmation(app);
  const node = h(
    "div",
    { class: "account-sections" },
    h("section", { "aria-label": t("Profile") }, h("h3", {}, t("Profile")), form, confirmation.node),
    sms.node,
  );

  async function save() {
    setText(outcome, "");
    const facts = { name: name.input.value.trim(), email: email.input.value.trim() };
    const number = phone.input.value.trim();
    const fine = allRight([
      [name, facts.name === "" && t("Enter your name.")],
      [email, !/^\S+@\S+$/.test(facts.email) && t("Enter an email address, like ana@example.org.")],
      [phone, number !== "" && !isPhone(number) && PHONE_PROBLEM],
    ]);
    if (!fine) return;
    const proof = password.input.value && { password: password.input.value };
    try {
      const { email: address, ...others } = facts;
      // The present address would take back one that waits to be confirmed.
      const changed = address !== app.state.get().snapshot?.user.email && { email: address };
      await app.setProfile({ ...others, ...changed, phone_number: number || null, ...proof });
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 403)) throw explain(error);
      password.node.hidden = false;
      password.complain(proof ? t("Wrong password.") : t("Enter your password."));
      password.input.focus();
      return;
    }
    hidePassword();
    setText(outcome, t("Saved."));
    // The phone number may have changed, or be gone.
    await Promise.all([sms.load(), confirmation.load()]);
  }

  function hidePassword() {
    password.input.value = "";
    password.node.hidden = true;
  }

  return {
    node,
    /** Fills the fields. Called when the page opens. */
    load() {
      const user = app.state.get().snapshot?.user;
      name.input.value = user?.name ?? "";
      email.input.value = user?.email ?? "";
      phone.input.value = user?.phone_number ?? "";
      hidePassword();
      for (const one of fields) one.complain("");
      setText(alert, "");
      setText(outcome, "");
      sms.load();
      confirmation.load();
    },
  };
}

/** Whether the server accepts a text as a phone number. */
function isPhone(/** @type {string} */ text) {
  const digits = text.replace(/[^0-9]/g, "").length;
  return /^\+?[0-9 ()./-]+$/.test(text) && digits >= 3 && digits <= 15;
}

/** Returns words for a refusal of the server; other errors are returned as they are. */
function explain(/** @type {unknown} */ error) {
  if (!(error instanceof ApiError && error.status === 409)) return error;
  return new Error(t("This email or phone number already belongs to an account."));
}

function createSmsMode(/** @type {import("../app/app.js").App} */ app) {
  const words = h("p", { class: "quiet", role: "status" });
  const alert = h("p", { class: "alert", role: "alert" });
  const hours = choice({
    label: t("Duration"),
    options: HOURS.map((value) => ({
      value: String(value),
      label: value === 1 ? t("For an hour") : t("For {count} hours", { count: value }),
    })),
  });
  const submit = h("button", { class: "button", type: "submit" });
  hours.node.hidden = true;
  const form = h(
    "form",
    { class: "account-form", novalidate: true },
    words,
    hours.node,
    alert,
    h("div", {}, submit),
  );
  form.addEventListener("submit", busyForm(submit, alert, turn));
  const node = h("section", { "aria-label": t("SMS mode") }, h("h3", {}, t("SMS mode")), form);
  let isOn = false;

  async function turn() {
    if (isOn) await app.smsMode.off();
    else await app.smsMode.on(Number(hours.input.value));
    await load();
  }

  async function load() {
    try {
      const user = await app.smsMode.look();
      isOn = Boolean(user.sms);
      // SMS mode cannot be turned on without a phone number.
      const isReachable = Boolean(user.phone_number);
      hours.node.hidden = isOn || !isReachable;
      submit.hidden = !isOn && !isReachable;
      setText(words, wordsFor(isOn, user.phone_number ?? ""));
      setText(submit, isOn ? t("Turn off SMS mode") : t("Turn on SMS mode"));
    } catch (error) {
      setText(alert, reasonOf(error));
    }
  }

  return { node, load };
}

function wordsFor(/** @type {boolean} */ isOn, /** @type {string} */ phone) {
  // Isolated, so that the groups of digits keep their order in right-to-left text.
  const number = phone && direction === "rtl" ? `\u2068${phone}\u2069` : phone;
  if (isOn) return t("New messages are sent as SMS to {number}.", { number });
  if (number === "") return t("This account has no phone number for SMS.");
  return t("Without mobile data: receive new messages as SMS at {number}.", { number });
}
