/**
 * The section of the account that says who one is to others, and whether messages come as
 * SMS: name and email address, and the hours of SMS mode.
 */

import { h, setText } from "../dom.js";
import { t } from "../words.js";
import { allRight, busyForm, choice, field } from "./field.js";

/** For how many hours messages come as SMS. */
const HOURS = [1, 4, 8, 24, 48];

export function createProfile(/** @type {import("../app.js").App} */ app) {
  const name = field({ label: t("Your name"), autocomplete: "name", name: "name", maxlength: 255 });
  const email = field({ label: t("Email"), type: "email", autocomplete: "email", name: "email" });
  const alert = h("p", { class: "alert", role: "alert" });
  const outcome = h("p", { class: "outcome", role: "status" });
  const submit = h("button", { class: "button", type: "submit" }, t("Save"));
  const form = h(
    "form",
    { class: "account-form", novalidate: true },
    name.node,
    email.node,
    alert,
    outcome,
    h("div", {}, submit),
  );
  form.addEventListener("submit", busyForm(submit, alert, save));
  for (const { input } of [name, email]) input.addEventListener("input", () => setText(outcome, ""));
  const sms = createSmsMode(app);
  const node = h(
    "div",
    { class: "account-sections" },
    h("section", { "aria-label": t("Profile") }, h("h3", {}, t("Profile")), form),
    sms.node,
  );

  async function save() {
    setText(outcome, "");
    const facts = { name: name.input.value.trim(), email: email.input.value.trim() };
    const fine = allRight([
      [name, facts.name === "" && t("What should people call you?")],
      [email, !/^\S+@\S+$/.test(facts.email) && t("Enter an email address, like ana@example.org.")],
    ]);
    if (!fine) return;
    await app.setProfile(facts);
    setText(outcome, t("Saved."));
  }

  return {
    node,
    /** Called when the page opens. */
    load() {
      const user = app.state.get().snapshot?.user;
      name.input.value = user?.name ?? "";
      email.input.value = user?.email ?? "";
      for (const one of [name, email]) one.complain("");
      setText(alert, "");
      setText(outcome, "");
      sms.load();
    },
  };
}

function createSmsMode(/** @type {import("../app.js").App} */ app) {
  const words = h("p", { class: "quiet", role: "status" });
  const alert = h("p", { class: "alert", role: "alert" });
  const hours = choice({
    label: t("For how long"),
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
      // Without a number there is nowhere to send one.
      const isReachable = Boolean(user.phone_number);
      hours.node.hidden = isOn || !isReachable;
      submit.hidden = !isOn && !isReachable;
      setText(words, wordsFor(isOn, user.phone_number ?? ""));
      setText(submit, isOn ? t("Turn off SMS mode") : t("Turn on SMS mode"));
    } catch (error) {
      setText(alert, error instanceof Error ? error.message : String(error));
    }
  }

  return { node, load };
}

function wordsFor(/** @type {boolean} */ isOn, /** @type {string} */ number) {
  if (isOn) return t("New messages come as SMS to {number}.", { number });
  if (number === "") return t("This account has no phone number to which SMS could be sent.");
  return t("For a while without data: new messages come as SMS to {number}.", { number });
}
