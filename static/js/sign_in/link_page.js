/**
 * The pages that links in mails and providers lead to, and the page that requests such a mail: for people who
 * lost their password. They are shown whether somebody is signed in or not.
 */

import { homeHref, recoverHref } from "../app/route.js";
import { ApiError } from "../sync/api.js";
import { countChars } from "../text/text.js";
import { fillWith, h, setText } from "../ui/dom.js";
import { allRight, busyForm, field } from "../ui/field.js";
import { mark } from "../ui/icons.js";
import { pages } from "../ui/window.js";
import { t } from "../words/words.js";
import { providerPage } from "./provider_page.js";

/** @typedef {import("../app/app.js").App} App */
/** @typedef {{ title: string, content: HTMLElement[], focus: HTMLElement | null }} Page */

const LEAST_PASSWORD = 8;

export function createLinkPage(/** @type {App} */ app) {
  const title = h("h1", { class: "sign-in-title", tabindex: "-1" });
  const content = h("div", { class: "sign-in-form" });
  const node = h(
    "main",
    { class: "sign-in" },
    h("div", { class: "sign-in-card" }, h("p", { class: "brand" }, mark(), "Coterie"), title, content),
  );
  let shown = "";
  /** @type {HTMLElement | null} */
  let first = null;

  return {
    node,
    show(/** @type {import("../sync/state.js").State} */ { route }) {
      if (route.name !== "link") return;
      const wanted = `${route.page} ${route.secret}`;
      if (wanted === shown) return;
      shown = wanted;
      const page = pageOf(app, route.page, route.secret);
      first = page.focus;
      setText(title, page.title);
      document.title = `${page.title} · Coterie`;
      fillWith(content, ...page.content);
    },
    focus: () => (first ?? title).focus(),
  };
}

/** @returns {Page} */
function pageOf(
  /** @type {App} */ app,
  /** @type {import("../app/route.js").LinkName} */ name,
  /** @type {string} */ secret,
) {
  if (secret === "") return requestPage(app);
  if (name === "confirm") return confirmPage(app, secret);
  if (name === "unsubscribe") return unsubscribePage(app, secret);
  if (name === "sso") return providerPage(app, secret);
  return name === "protest" ? protestPage(app, secret) : passwordPage(app, secret);
}

const home = () =>
  h("p", { class: "sign-in-other" }, h("a", { href: homeHref }, t("Go to the conversations")));

const back = () => h("p", { class: "sign-in-other" }, h("a", { href: homeHref }, t("Back to log in")));

/** Asks for the address to which the server sends a link. @returns {Page} */
function requestPage(/** @type {App} */ app) {
  const email = field({ label: t("Email"), type: "email", autocomplete: "username", name: "email" });
  const alert = h("p", { class: "alert", role: "alert" });
  const outcome = h("p", { class: "outcome", role: "status" });
  const submit = h("button", { class: "button button-primary button-wide", type: "submit" }, t("Send link"));
  const form = h("form", { class: "sign-in-form", novalidate: true }, email.node, alert, submit);
  form.addEventListener("submit", busyForm(submit, alert, send));

  async function send() {
    const address = email.input.value.trim();
    const problem = !/^\S+@\S+$/.test(address) && t("Enter an email address, like ana@example.org.");
    if (!allRight([[email, problem]])) return;
    try {
      await app.recovery.request(address);
    } catch (error) {
      throw tooOften(error);
    }
    form.hidden = true;
    setText(
      outcome,
      t(
        "If an account has this address, a mail with a link is on its way. The link works once, within 30 minutes.",
      ),
    );
  }

  // A server without mail names somebody who can help.
  app.options().then(
    ({ mail, contact }) => {
      if (mail) return;
      form.hidden = true;
      setText(
        outcome,
        contact
          ? t("This server sends no mail. Ask for a link: {contact}", { contact })
          : t("This server sends no mail. Ask those who run it for a link."),
      );
    },
    () => {},
  );
  return { title: t("Forgot your password?"), content: [outcome, form, back()], focus: email.input };
}

/** Sets a new password, and signs in with it. @returns {Page} */
function passwordPage(/** @type {App} */ app, /** @type {string} */ secret) {
  const password = field({
    label: t("New password"),
    type: "password",
    autocomplete: "new-password",
    name: "password",
    hint: t("At least 8 characters. You are logged out everywhere else."),
  });
  const alert = h("p", { class: "alert", role: "alert" });
  const another = h("p", { hidden: true }, h("a", { href: recoverHref }, t("Request a new link")));
  const submit = h(
    "button",
    { class: "button button-primary button-wide", type: "submit" },
    t("Set password and log in"),
  );
  const form = h("form", { class: "sign-in-form", novalidate: true }, password.node, alert, another, submit);
  form.addEventListener("submit", busyForm(submit, alert, send));

  async function send() {
    const typed = password.input.value;
    const problem =
      countChars(typed) < LEAST_PASSWORD &&
      t("Use at least {PASSWORD} characters.", { PASSWORD: LEAST_PASSWORD });
    if (!allRight([[password, problem]])) return;
    try {
      await app.recover(secret, typed);
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 404)) throw tooOften(error);
      another.hidden = false;
      throw new Error(t("This link was used already, or is too old."));
    }
    pages.replace(homeHref);
  }

  return { title: t("Set a new password"), content: [form, back()], focus: password.input };
}

/** Ends every session after a change that the owner did not make. @returns {Page} */
function protestPage(/** @type {App} */ app, /** @type {string} */ secret) {
  const alert = h("p", { class: "alert", role: "alert" });
  const outcome = h("p", { class: "outcome", role: "status" });
  const submit = h(
    "button",
    { class: "button button-primary button-wide", type: "submit" },
    t("Log out everywhere and send a link"),
  );
  const words = h(
    "p",
    {},
    t(
      "Somebody else may know your password. This logs out every device, makes that password useless and sends you a link for a new one.",
    ),
  );
  const form = h("form", { class: "sign-in-form" }, words, alert, submit);
  form.addEventListener("submit", busyForm(submit, alert, send));

  async function send() {
    try {
      await app.recovery.protest(secret);
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 404)) throw error;
      throw new Error(t("This link was used already, or is too old."));
    }
    form.hidden = true;
    setText(outcome, t("Every device is logged out. A mail with a link for a new password is on its way."));
  }

  return { title: t("It was not me"), content: [outcome, form, back()], focus: null };
}

/** Confirms an address. A new account that waits for it needs its password, and is signed in. @returns {Page} */
function confirmPage(/** @type {App} */ app, /** @type {string} */ secret) {
  const alert = h("p", { class: "alert", role: "alert" });
  const outcome = h("p", { class: "outcome", role: "status" });
  const password = field({
    label: t("Password"),
    hint: t("The one that you chose when you created the account."),
    type: "password",
    autocomplete: "current-password",
    name: "password",
  });
  password.node.hidden = true;
  const submit = h(
    "button",
    { class: "button button-primary button-wide", type: "submit" },
    t("Confirm address"),
  );
  const form = h("form", { class: "sign-in-form", novalidate: true }, password.node, alert, submit);
  form.addEventListener("submit", busyForm(submit, alert, send));

  async function send() {
    const isNew = !password.node.hidden;
    const typed = password.input.value;
    if (!allRight([[password, isNew && typed === "" && t("Enter your password.")]])) return;
    try {
      const { email } = await app.recovery.confirm(secret, isNew ? { password: typed } : {});
      if (isNew) {
        await app.login({ email, password: typed });
        pages.replace(homeHref);
        return;
      }
      form.hidden = true;
      setText(outcome, t("{email} is confirmed.", { email }));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.needs === "password") {
        password.node.hidden = false;
        password.input.focus();
        return;
      }
      const { status } = error;
      if (status === 409) throw new Error(t("This email or phone number already belongs to an account."));
      if (status === 404) throw new Error(t("This link was used already, or is too old."));
      if (status === 401) throw new Error(t("Wrong password."));
      if (status === 403 && isNew) throw new Error(t("This server does not accept new accounts."));
      throw tooOften(error);
    }
  }

  return { title: t("Confirm your email address"), content: [outcome, form, home()], focus: null };
}

/** Turns mails about missed messages off. @returns {Page} */
function unsubscribePage(/** @type {App} */ app, /** @type {string} */ secret) {
  const alert = h("p", { class: "alert", role: "alert" });
  const outcome = h("p", { class: "outcome", role: "status" });
  const submit = h(
    "button",
    { class: "button button-primary button-wide", type: "submit" },
    t("Turn these mails off"),
  );
  const form = h("form", { class: "sign-in-form" }, alert, submit);
  form.addEventListener("submit", busyForm(submit, alert, send));

  async function send() {
    try {
      await app.recovery.unsubscribe(secret);
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 404)) throw error;
      throw new Error(t("This link belongs to another address. Turn the mails off in your account."));
    }
    form.hidden = true;
    setText(outcome, t("You get no more mails about unread messages. You can turn them on in your account."));
  }

  return { title: t("Mails about unread messages"), content: [outcome, form, home()], focus: null };
}

/** Returns words for too many requests; other errors are returned as they are. */
function tooOften(/** @type {unknown} */ error) {
  if (!(error instanceof ApiError && error.status === 429)) return error;
  const minutes = Math.ceil((error.retryAfter ?? 60) / 60);
  return new Error(
    minutes === 1
      ? t("Too many attempts. Try again in a minute.")
      : t("Too many attempts. Try again in {minutes} minutes.", { minutes }),
  );
}
