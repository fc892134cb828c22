/**
 * The page for people who are not signed in: log in, or create an account.
 *
 * Owns the form, its checks, and words for the server's refusals. Where registration is closed, no account is
 * offered; a person with an invitation starts with the form for a new account.
 */

import { ApiError } from "../api.js";
import { fillWith, h, setText } from "../dom.js";
import { mark } from "../icons.js";
import { startHref } from "../identity_calls.js";
import { hasPasskeys } from "../passkeys.js";
import { recoverHref, setupHref } from "../route.js";
import { countChars } from "../text.js";
import { t } from "../words.js";
import { createCodeStep } from "./code_step.js";
import { allRight, busyForm, field, lines, phoneField } from "./field.js";
import { DEAD_LINK, invitedBy } from "./invited_by.js";
import { pages } from "./window.js";

const LEAST_PASSWORD = 8;
/** The maximum length of what somebody writes to the operators. */
const MOST_ABOUT = 500;

/** @typedef {Awaited<ReturnType<import("../app.js").App["options"]>>} Options */
/**
 * What the server offered last: the page after a log-out shows it at once, so that nothing moves under a finger when
 * the server answers. @type {Options | null}
 */
let offered = null;

const ABOUT = t("Messages in groups and between two people, stored on this server: {host}.", {
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
  if (error.needs === "domain") return new Error(t("Only addresses of certain domains may register."));
  const minutes = Math.ceil((error.retryAfter ?? 60) / 60);
  /** @type {Record<number, string>} */
  const words = {
    401: t("Wrong email or password."),
    403: mode === "register" ? t("This server does not accept new accounts.") : error.message,
    409: t("This email or phone number already belongs to an account."),
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
  const about = lines({
    label: t("Who are you, and why do you want an account?"),
    hint: t("The operators of this server read it, and decide."),
    name: "about",
    maxlength: MOST_ABOUT,
  });

  const invitedPlace = h("div", { hidden: true });
  /** What is known of the share link that was opened; null without one, and while the server is asked. */
  let checked = /** @type {import("../group_calls.js").Checked | null} */ (null);
  /** Whether people may register; null while the server is asked. @type {boolean | null} */
  let registers = null;
  let takesPasswords = true;
  /** Whether operators approve new accounts. */
  let isByApproval = false;
  let said = "";
  /** Words about what a registration waits for. */
  let waitsFor = "";

  const place = h("span", { dir: "auto" }, "Coterie");
  const greeting = h("p", { class: "sign-in-greeting", dir: "auto", hidden: true });
  const contact = h("p", { class: "quiet", hidden: true });
  /** Whose addresses may register, where not all may. */
  const domainWords = h("p", { class: "quiet", hidden: true });
  const title = h("h1", { class: "sign-in-title", tabindex: "-1" });
  const notice = h("p", { class: "notice", role: "status" });
  const alert = h("p", { class: "alert", role: "alert" });
  const submit = h("button", { class: "button button-primary button-wide", type: "submit" });
  const question = h("span");
  const other = h("button", { class: "button-link", type: "button", onclick: () => turn() });
  const forgotten = h(
    "p",
    { class: "sign-in-other" },
    h("a", { href: recoverHref }, t("Forgot your password?")),
  );
  const passkey = h(
    "button",
    { class: "button button-wide", type: "button", onclick: logInByPasskey },
    t("Log in with a passkey"),
  );
  const providers = h("div", { class: "sign-in-form", hidden: true });
  /** Shows the form where most people log in without a password. */
  const byPassword = h(
    "button",
    { class: "button-link", type: "button", onclick: showForm },
    t("Log in with a password"),
  );
  const passwordWay = h("p", { class: "sign-in-other", hidden: true }, byPassword);
  const ways = h("p", { class: "sign-in-other", hidden: true }, question, " ", other);
  const form = h(
    "form",
    { class: "sign-in-form", novalidate: true },
    name.node,
    email.node,
    password.node,
    phone.node,
    about.node,
    domainWords,
    alert,
    submit,
    forgotten,
  );
  form.addEventListener("submit", busyForm(submit, alert, send));

  /** The code of the log-in that waits for the second factor. */
  let verification = "";
  const step = createCodeStep({
    finish: (shown, trust) => app.verify(verification, shown, trust),
    passkey: app.passkeys.show,
    onEnd(why) {
      step.close();
      form.hidden = false;
      ways.hidden = !registers;
      providers.hidden = !providers.firstChild;
      password.input.value = "";
      setText(alert, why);
      write();
      password.input.focus();
    },
  });

  function askForCode(/** @type {string[]} */ methods) {
    form.hidden = ways.hidden = providers.hidden = true;
    setText(title, t("Enter your code"));
    step.open(methods);
  }

  const node = h(
    "main",
    { class: "sign-in" },
    h(
      "div",
      { class: "sign-in-card" },
      h("p", { class: "brand" }, mark(), place),
      greeting,
      h("p", { class: "quiet" }, ABOUT),
      invitedPlace,
      title,
      notice,
      form,
      step.node,
      providers,
      passwordWay,
      ways,
      contact,
    ),
  );

  function showForm() {
    form.hidden = false;
    passwordWay.hidden = true;
    email.input.focus();
  }

  function turn() {
    mode = mode === "login" ? "register" : "login";
    for (const one of [name, email, password, phone, about]) one.complain("");
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
    forgotten.hidden = registering;
    name.node.hidden = phone.node.hidden = domainWords.hidden = !registering;
    about.node.hidden = !registering || !asksAbout();
    password.input.setAttribute("autocomplete", words.password);
    document.title = `${words.title} · Coterie`;
  }

  /** Whether the account waits for operators; one of a guest does not. */
  const asksAbout = () => isByApproval && !isForGuests(checked);

  async function send() {
    const registering = mode === "register";
    const facts = { email: email.input.value.trim(), password: password.input.value };
    const fine = allRight([
      [name, registering && name.input.value.trim() === "" && t("Enter your name.")],
      [email, !/^\S+@\S+$/.test(facts.email) && t("Enter an email address, like ana@example.org.")],
      [password, passwordProblem(facts.password, registering)],
      [
        about,
        registering &&
          asksAbout() &&
          about.input.value.trim() === "" &&
          t("Write a sentence about yourself."),
      ],
    ]);
    if (!fine) return;
    try {
      if (registering) {
        const waiting = await app.register({ ...facts, ...moreFacts(), ...guestFacts() });
        if (waiting === "approval")
          waitFor(t("Your request was sent. You can log in once the operators approve it."));
        else if (waiting) waitFor(mailWords(facts.email));
      } else {
        const waiting = await app.login(facts);
        verification = waiting?.code ?? "";
        if (waiting) askForCode(waiting.methods);
      }
    } catch (error) {
      throw explain(error, mode);
    }
  }

  /** Shows the form for logging in, and what comes before that. */
  function waitFor(/** @type {string} */ words) {
    turn();
    password.input.value = about.input.value = "";
    waitsFor = words;
    tell();
  }

  async function logInByPasskey() {
    setText(alert, "");
    try {
      await app.logInByPasskey();
    } catch (error) {
      const isRefused = error instanceof ApiError && error.status === 401;
      if (isRefused) setText(alert, t("This passkey is not accepted."));
      else setText(alert, error instanceof Error ? error.message : String(error));
    }
  }

  /** The link that makes a guest. */
  function guestFacts() {
    const { invitation } = app.state.get();
    return invitation && isForGuests(checked)
      ? { invite: `/join_group/${invitation.groupId}/${invitation.token}` }
      : {};
  }

  function moreFacts() {
    const number = phone.input.value.trim();
    return {
      name: name.input.value.trim(),
      ...(number && { phone_number: number }),
      ...(asksAbout() && { about: about.input.value.trim() }),
    };
  }

  /** Shows the ways to log in that the server has. */
  function shape(/** @type {Options} */ options) {
    takesPasswords = (options.password ?? "on") === "on";
    registers = (options.registration !== "closed" || isForGuests(checked)) && takesPasswords;
    form.hidden = !takesPasswords;
    passwordWay.hidden = takesPasswords;
    setText(domainWords, domainHint(options));
    isByApproval = options.registration === "approval";
    setText(place, options.name ?? "Coterie");
    setText(greeting, options.greeting ?? "");
    greeting.hidden = !options.greeting;
    setText(contact, options.contact ? t("Help: {contact}", { contact: options.contact }) : "");
    contact.hidden = !options.contact;
    const offersPasskeys = options.passkeys && hasPasskeys();
    fillWith(providers, offersPasskeys && passkey, ...(options.providers ?? []).map(providerLink));
    providers.hidden = !providers.firstChild || !step.node.hidden;
  }

  function tell() {
    setText(notice, said || waitsFor || invitationWords(checked, registers));
  }

  /** Shows what is known of the share link and of registration, and offers only what works. */
  function offer() {
    ways.hidden = !registers || !step.node.hidden;
    about.node.hidden = mode === "login" || !asksAbout();
    tell();
    const isUntouched = mode === "login" && email.input.value === "" && password.input.value === "";
    if (registers && isUntouched && said === "" && checked?.kind === "valid") turn();
  }

  function show(/** @type {import("../state.js").State} */ state) {
    said = state.notice;
    tell();
  }

  write();
  // Registration is offered only once the server says that it is open.
  const asked = app.options().then(
    (options) => {
      // Somebody may have opened the form for a password meanwhile, or stand on a button.
      if (JSON.stringify(options) !== JSON.stringify(offered)) shape(options);
      offered = options;
      const { route, invitation } = app.state.get();
      if (options.setup?.empty && route.name === "home" && !invitation) pages.replace(setupHref);
    },
    () => {
      // While the server cannot be reached.
      registers = true;
    },
  );
  if (offered) {
    shape(offered);
    offer();
  }
  if (app.state.get().invitation) {
    const checking = app.checkInvitation().then((found) => {
      checked = found;
      if (isForGuests(found)) registers = takesPasswords;
      if (found.kind === "valid") fillWith(invitedPlace, invitedBy(found.invited));
      invitedPlace.hidden = found.kind !== "valid";
      if (found.kind !== "dead") return;
      app.answered();
      pages.replace("/");
    });
    Promise.all([asked, checking]).then(offer);
  } else asked.then(offer);
  return { node, show };
}

/** Returns words about the addresses that may register; "" if all may. */
function domainHint(/** @type {Options} */ { registration, domains }) {
  if (registration !== "domain") return "";
  return domains
    ? t("Addresses of {domains} may register. A mail confirms yours.", { domains: domains.join(", ") })
    : t("Only addresses of certain domains may register. A mail confirms yours.");
}

const mailWords = (/** @type {string} */ address) =>
  t("A mail is on its way to {address}. Open its link within 7 days, then you can log in.", { address });

const providerLink = (/** @type {import("../identity_calls.js").Provider} */ provider) =>
  h(
    "a",
    { class: "button button-wide", href: startHref(provider) },
    t("Log in with {provider}", { provider: provider.name }),
  );

/** Whether somebody without an account becomes a guest with the link that was opened. */
const isForGuests = (/** @type {import("../group_calls.js").Checked | null} */ checked) =>
  checked?.kind === "valid" && checked.invited.guest === true;

/** Returns words about the share link that was opened; "" while they are not known. */
function invitationWords(
  /** @type {import("../group_calls.js").Checked | null} */ checked,
  /** @type {boolean | null} */ registers,
) {
  if (checked === null || registers === null) return "";
  if (checked.kind === "dead") return DEAD_LINK;
  if (checked.kind === "unknown") return checked.why;
  if (registers && isForGuests(checked)) {
    return t("You are invited to a group. Log in, or create a guest account to join it.");
  }
  return registers
    ? t("You are invited to a group. Log in or create an account to join it.")
    : t("You are invited to a group. Log in to join it. This server does not accept new accounts.");
}

function passwordProblem(/** @type {string} */ password, /** @type {boolean} */ registering) {
  if (password === "") return t("Enter your password.");
  return (
    registering &&
    countChars(password) < LEAST_PASSWORD &&
    t("Use at least {PASSWORD} characters.", { PASSWORD: LEAST_PASSWORD })
  );
}
