/**
 * The first steps of a new server: the account of the first admin, then the name of the place, who may come, and
 * the first group with its link.
 *
 * Owns which step is shown. All steps but the account can be skipped: the pages for operators have them, too.
 */

import { adminCalls } from "../admin/admin_calls.js";
import { adminHref } from "../admin/admin_route.js";
import { homeHref } from "../app/route.js";
import { reasonOf } from "../text/reason.js";
import { countChars } from "../text/text.js";
import { copyable } from "../ui/copy.js";
import { fillWith, h } from "../ui/dom.js";
import { allRight, busyForm, choice, field } from "../ui/field.js";
import { mark } from "../ui/icons.js";
import { t } from "../words/words.js";

/** @typedef {import("../app/app.js").App} App */

const LEAST_PASSWORD = 8;
const REASON = t("Setup");

export function createSetup(/** @type {App} */ app) {
  const title = h("h1", { class: "sign-in-title", tabindex: "-1" }, t("Set up this server"));
  const content = h("div", { class: "sign-in-form" });
  const node = h(
    "main",
    { class: "sign-in" },
    h("div", { class: "sign-in-card" }, h("p", { class: "brand" }, mark(), "Coterie"), title, content),
  );
  let step = "";

  function turnTo(/** @type {string} */ next, /** @type {(Node | string)[]} */ ...children) {
    step = next;
    fillWith(content, ...children);
    title.focus();
  }

  async function begin() {
    step = "asking";
    document.title = t("Set up this server · Coterie");
    fillWith(content, h("p", { class: "quiet", role: "status" }, t("Loading…")));
    try {
      const { setup } = await app.options();
      if (setup) turnTo("account", accountForm(app, setup.code));
      else turnTo("over", h("p", {}, t("This server has an admin already.")), link(t("Log in"), homeHref));
    } catch (error) {
      const words = reasonOf(error);
      turnTo("failed", h("p", { class: "alert", role: "alert" }, words), link(t("Log in"), homeHref));
    }
  }

  return {
    node,
    show(/** @type {import("../sync/state.js").State} */ state) {
      if (state.route.name !== "setup") return;
      if (state.phase === "out" && step === "") begin();
      if (state.phase === "in" && state.snapshot && step !== "place" && step !== "done")
        turnTo(
          "place",
          placeForm(app, (share) => turnTo("done", ...ending(share))),
        );
    },
    focus: () => title.focus(),
  };
}

const link = (/** @type {string} */ words, /** @type {string} */ href) => h("p", {}, h("a", { href }, words));

function accountForm(/** @type {App} */ app, /** @type {boolean} */ needsCode) {
  const code = field({
    label: t("Code of the server"),
    hint: t("It is in the server's log; the command coterie setup prints it."),
    name: "code",
    autocomplete: "off",
    dir: "ltr",
  });
  code.node.hidden = !needsCode;
  const name = field({ label: t("Your name"), autocomplete: "name", name: "name", maxlength: 255 });
  const email = field({ label: t("Email"), type: "email", autocomplete: "username", name: "email" });
  const password = field({
    label: t("Password"),
    type: "password",
    autocomplete: "new-password",
    name: "password",
  });
  const alert = h("p", { class: "alert", role: "alert" });
  const submit = h(
    "button",
    { class: "button button-primary button-wide", type: "submit" },
    t("Create account"),
  );
  const form = h(
    "form",
    { class: "sign-in-form", novalidate: true },
    h("p", { class: "quiet" }, t("The first account is that of an admin, who looks after this server.")),
    code.node,
    name.node,
    email.node,
    password.node,
    alert,
    submit,
  );
  form.addEventListener("submit", busyForm(submit, alert, send));

  async function send() {
    const facts = {
      name: name.input.value.trim(),
      email: email.input.value.trim(),
      password: password.input.value,
    };
    const typed = code.input.value.trim();
    const isShort = countChars(facts.password) < LEAST_PASSWORD;
    const fine = allRight([
      [code, needsCode && typed === "" && t("Enter the code.")],
      [name, facts.name === "" && t("Enter your name.")],
      [email, !/^\S+@\S+$/.test(facts.email) && t("Enter an email address, like ana@example.org.")],
      [password, isShort && t("Use at least {PASSWORD} characters.", { PASSWORD: LEAST_PASSWORD })],
    ]);
    if (fine) await app.setUp(needsCode ? { ...facts, code: typed } : facts);
  }

  return form;
}

/** The form for the place; `onDone` gets the link of the first group, or "". */
function placeForm(/** @type {App} */ app, /** @type {(share: string) => void} */ onDone) {
  const calls = adminCalls(app.api.rest);
  const name = field({
    label: t("Name of the place (optional)"),
    name: "place",
    autocomplete: "off",
    maxlength: 100,
  });
  const registration = choice({
    label: t("Who may create an account"),
    options: [
      { value: "open", label: t("Everybody") },
      { value: "closed", label: t("Nobody: operators create accounts") },
      { value: "invite", label: t("Who is invited") },
      { value: "approval", label: t("Whom operators approve") },
    ],
  });
  const group = field({
    label: t("First group (optional)"),
    hint: t("It gets a link with which others join."),
    name: "group",
    autocomplete: "off",
    maxlength: 140,
  });
  const alert = h("p", { class: "alert", role: "alert" });
  const submit = h("button", { class: "button button-primary button-wide", type: "submit" }, t("Save"));
  const form = h(
    "form",
    { class: "sign-in-form", novalidate: true },
    name.node,
    registration.node,
    group.node,
    alert,
    submit,
    link(t("Skip"), homeHref),
  );
  form.addEventListener("submit", busyForm(submit, alert, save));
  calls.settings().then(
    (settings) => {
      const mode = settings.registration.value ?? "open";
      // An option may have set it; /admin has the form for the domains.
      if (mode === "domain")
        registration.input.append(
          h("option", { value: mode }, t("Who confirms an address of certain domains")),
        );
      registration.input.value = mode;
      registration.input.disabled = ["option", "environment"].includes(settings.registration.source);
    },
    // Somebody who is no admin opened this address.
    () => onDone(""),
  );

  async function save() {
    const place = name.input.value.trim();
    if (place) await calls.setSettings({ name: place, reason: REASON });
    if (!registration.input.disabled && registration.input.value !== "open")
      await calls.setRegistration({ mode: registration.input.value, reason: REASON });
    const called = group.input.value.trim();
    const made = called ? await app.api.rest.post("/v3/groups", { name: called, share: true }) : null;
    onDone(made?.share_url ?? "");
  }

  return form;
}

function ending(/** @type {string} */ share) {
  const words = share
    ? t("Everything is ready. Send this link to those who should join your group:")
    : t("Everything is ready.");
  return [
    h("p", { role: "status" }, words),
    ...(share ? [copyable({ label: t("link"), text: share })] : []),
    h("a", { class: "button button-primary button-wide", href: homeHref }, t("Go to the conversations")),
    link(t("Administration"), adminHref),
  ];
}
