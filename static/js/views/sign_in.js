/**
 * The page for people who are not signed in: log in, or create an account.
 *
 * Owns the form, its checks, and words for the server's refusals. Where registration is closed, no account is
 * offered; a person with an invitation starts with the form for a new account.
 */

import { ApiError } from "../api.js";
import { h, setText } from "../dom.js";
import { mark } from "../icons.js";
import { countChars } from "../text.js";
import { t } from "../words.js";
import { allRight, busyForm, field, phoneField } from "./field.js";
import { invitedBy } from "./invited_by.js";

const LEAST_PASSWORD = 8;

const ABOUT = t("Conversations in groups and between two. All of it is kept on this server: {host}.", {
  host: location.host,
});

const WORDS = {
  login: {
    title: t("Log in"),
    submit: t("Log in"),
    question: t("New here?"),
    other: t("Create an account"),
    password: "current-password",
  },
  register: {
    title: t("Create your account"),
    submit: t("Create account"),
    question: t("Have an account already?"),
    other: t("Log in"),
    password: "new-password",
  },
};

/** Returns words for a refusal of the server; other errors are returned as they are. */
function explain(/** @type {unknown} */ error, /** @type {"login" | "register"} */ mode) {
  if (!(error instanceof ApiError)) return error;
  const minutes = Math.ceil((error.retryAfter ?? 60) / 60);
  /** @type {Record<number, string>} */
  const words = {
    401: t("That email and password do not belong together."),
    403: mode === "register" ? t("This server does not take new accounts.") : error.message,
    409: t("That email or phone number belongs to an account already."),
    429:
      minutes === 1
        ? t("Too many attempts. Try again in a minute.")
        : t("Too many attempts. Try again in {minutes} minutes.", { minutes }),
  };
  return new Error(words[error.status] ?? error.message);
}

export function createSignIn(/** @type {import("../app.js").App} */ app) {
  /** @type {"login" | "register"} */
  let mode = "login";

  const name = field({ label: t("Your name"), autocomplete: "name", name: "name", maxlength: 255 });
  const email = field({ label: t("Email"), type: "email", autocomplete: "username", name: "email" });
  const password = field({ label: t("Password"), type: "password", name: "password" });
  const phone = phoneField();

  const title = h("h1", { class: "sign-in-title", tabindex: "-1" });
  const notice = h("p", { class: "notice", role: "status" });
  const alert = h("p", { class: "alert", role: "alert" });
  const submit = h("button", { class: "button button-primary button-wide", type: "submit" });
  const question = h("span");
  const other = h("button", { class: "button-link", type: "button", onclick: () => turn() });
  const ways = h("p", { class: "sign-in-other", hidden: true }, question, " ", other);
  const form = h(
    "form",
    { class: "sign-in-form", novalidate: true },
    name.node,
    email.node,
    password.node,
    phone.node,
    alert,
    submit,
  );
  form.addEventListener("submit", busyForm(submit, alert, send));

  const node = h(
    "main",
    { class: "sign-in" },
    h(
      "div",
      { class: "sign-in-card" },
      h("p", { class: "brand" }, mark(), "Coterie"),
      h("p", { class: "quiet" }, ABOUT),
      app.state.get().invitation && invitedBy(app),
      title,
      notice,
      form,
      ways,
    ),
  );

  function turn() {
    mode = mode === "login" ? "register" : "login";
    for (const one of [name, email, password, phone]) one.complain("");
    setText(alert, "");
    write();
    (mode === "register" ? name : email).input.focus();
  }

  function write() {
    const words = WORDS[mode];
    const registering = mode === "register";
    setText(title, words.title);
    setText(submit, words.submit);
    setText(question, words.question);
    setText(other, words.other);
    name.node.hidden = phone.node.hidden = !registering;
    password.input.setAttribute("autocomplete", words.password);
    document.title = `${words.title} · Coterie`;
  }

  async function send() {
    const registering = mode === "register";
    const facts = { email: email.input.value.trim(), password: password.input.value };
    const fine = allRight([
      [name, registering && name.input.value.trim() === "" && t("What should people call you?")],
      [email, !/^\S+@\S+$/.test(facts.email) && t("Enter an email address, like ana@example.org.")],
      [password, passwordProblem(facts.password, registering)],
    ]);
    if (!fine) return;
    try {
      if (registering) await app.register({ ...facts, ...moreFacts() });
      else await app.login(facts);
    } catch (error) {
      throw explain(error, mode);
    }
  }

  function moreFacts() {
    const number = phone.input.value.trim();
    return { name: name.input.value.trim(), ...(number && { phone_number: number }) };
  }

  write();
  // Registration is offered only once the server says that it is open.
  app.registers().then((open) => {
    ways.hidden = !open;
    const isUntouched = mode === "login" && email.input.value === "" && password.input.value === "";
    if (open && isUntouched && app.isInvited()) turn();
  });
  return {
    node,
    show(/** @type {import("../state.js").State} */ state) {
      setText(notice, state.notice);
    },
  };
}

function passwordProblem(/** @type {string} */ password, /** @type {boolean} */ registering) {
  if (password === "") return t("Enter your password.");
  return (
    registering &&
    countChars(password) < LEAST_PASSWORD &&
    t("Use at least {PASSWORD} characters.", { PASSWORD: LEAST_PASSWORD })
  );
}
