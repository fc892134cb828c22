/**
 * The page for people who are not signed in: log in, or create an account.
 *
 * Owns the form, its checks, and words for the server's refusals. Where registration is closed, no account is
 * offered; a person with an invitation starts with the form for a new account. `registration.js` decides who may
 * create one.
 */

import { recoverHref, setupHref } from "../app/route.js";
import { DEAD_LINK, deadInvitation, invitedBy } from "../invites/invited_by.js";
import { createCodeStep } from "../security/code_step.js";
import { startHref } from "../security/identity_calls.js";
import { hasPasskeys } from "../security/passkeys.js";
import { ApiError } from "../sync/api.js";
import { reasonOf } from "../text/reason.js";
import { countChars } from "../text/text.js";
import { fillWith, h, setText } from "../ui/dom.js";
import { allRight, busyForm, field, lines, phoneField } from "../ui/field.js";
import { mark } from "../ui/icons.js";
import { pages } from "../ui/window.js";
import { t } from "../words/words.js";
import {
  inviteOf,
  isForGuests,
  isInvited,
  mayRegister,
  needsInvitation,
  takesPasswords,
  waitsForApproval,
} from "./registration.js";

const LEAST_PASSWORD = 8;
/** The maximum length of what somebody writes to the operators. */
const MOST_ABOUT = 500;

/** @typedef {Awaited<ReturnType<import("../app/app.js").App["options"]>>} Options */
/** @typedef {import("./registration.js").Came} Came */
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
  if (error.needs === "invite") return error;
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

export function createSignIn(/** @type {import("../app/app.js").App} */ app) {
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
  /** What is known of the link that was opened. @type {Came} */
  const came = { group: null, account: null };
  /** What the server offers; null while it is asked. @type {Options | null} */
  let offer = null;
  /** Whether people may register; null while the server is asked. @type {boolean | null} */
  let registers = null;
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
  /** Says that an account needs an invitation. */
  const missing = h("p", { class: "sign-in-other", hidden: true });
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
      showWays();
      providers.hidden = !providers.firstChild;
      password.input.value = "";
      setText(alert, why);
      write();
      password.input.focus();
    },
  });

  function askForCode(/** @type {string[]} */ methods) {
    form.hidden = providers.hidden = true;
    setText(title, t("Enter your code"));
    step.open(methods);
    showWays();
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
      missing,
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
    name.node.hidden = phone.node.hidden = !registering;
    showAsked();
    password.input.setAttribute("autocomplete", words.password);
    document.title = `${words.title} · Coterie`;
  }

  /** Shows what only some modes of registration ask for. */
  function showAsked() {
    domainWords.hidden = mode === "login" || isInvited(came);
    about.node.hidden = mode === "login" || !asksAbout();
  }

  /** Whether operators read what people write about themselves. */
  const asksAbout = () => offer !== null && waitsForApproval(offer, came);

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
        const waiting = await app.register({ ...facts, ...moreFacts() });
        if (waiting === "approval")
          waitFor(t("Your request was sent. You can log in once the operators approve it."));
        else if (waiting) waitFor(mailWords(facts.email));
      } else {
        const waiting = await app.login(facts);
        verification = waiting?.code ?? "";
        if (waiting) askForCode(waiting.methods);
      }
    } catch (error) {
      const isDead = registering && error instanceof ApiError && [404, 410].includes(error.status);
      if (!isDead || !refuseLink(error.status)) throw explain(error, mode);
    }
  }

  /**
   * Takes the refusal of a registration because of its link, which may have ended while the form was filled in.
   * Returns false if there was no operators' invitation.
   */
  function refuseLink(/** @type {number} */ status) {
    const { invitation, accountInvitation } = app.state.get();
    if (invitation) throw new Error(DEAD_LINK);
    if (!accountInvitation) return false;
    came.account = { kind: "dead", status };
    weigh();
    if (!registers) turn();
    showOffer();
    return true;
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
      else setText(alert, reasonOf(error));
    }
  }

  function moreFacts() {
    const number = phone.input.value.trim();
    const invite = inviteOf(offer?.registration ?? null, came, app.state.get());
    return {
      name: name.input.value.trim(),
      ...(number && { phone_number: number }),
      ...(asksAbout() && { about: about.input.value.trim() }),
      ...(invite && { invite }),
    };
  }

  /** Shows the ways to log in that the server has. */
  function shape(/** @type {Options} */ options) {
    offer = options;
    registers = mayRegister(options, came);
    form.hidden = !takesPasswords(options);
    passwordWay.hidden = takesPasswords(options);
    setText(domainWords, domainHint(options));
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
    setText(notice, said || waitsFor || linkWords(came, registers, offer?.name ?? null));
  }

  /** Shows the way to the other form, or that an invitation is missing; neither beside the step for the code. */
  function showWays() {
    const isStep = !step.node.hidden;
    const isMissing = offer !== null && needsInvitation(offer, came);
    ways.hidden = !registers || isStep;
    missing.hidden = !isMissing || isStep;
    setText(missing, isMissing ? missingWords(offer?.contact ?? null) : "");
    // The sentence names the contact already.
    contact.hidden = !offer?.contact || !missing.hidden;
  }

  /** Shows what is known of the link and of registration, and offers only what works. */
  function showOffer() {
    showWays();
    showAsked();
    tell();
    const isUntouched = mode === "login" && email.input.value === "" && password.input.value === "";
    const isAsked = came.group?.kind === "valid" || isInvited(came);
    if (registers && isUntouched && said === "" && isAsked) turn();
  }

  function show(/** @type {import("../sync/state.js").State} */ state) {
    said = state.notice;
    tell();
  }

  /** Asks the server about the link that was opened. */
  async function checkLink() {
    const { invitation, accountInvitation } = app.state.get();
    if (invitation) {
      const found = await app.checkInvitation();
      came.group = found;
      if (found.kind === "valid") fillWith(invitedPlace, invitedBy(found.invited));
      invitedPlace.hidden = found.kind !== "valid";
    } else if (accountInvitation) came.account = await app.checkAccountInvitation();
    weigh();
  }

  /** Decides who may register by what is known of the link, and forgets one that does not work. */
  function weigh() {
    if (offer) registers = mayRegister(offer, came);
    if (came.group?.kind !== "dead" && came.account?.kind !== "dead") return;
    app.answered();
    pages.replace("/");
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
    showOffer();
  }
  Promise.all([asked, checkLink()]).then(showOffer);
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

const providerLink = (/** @type {import("../security/identity_calls.js").Provider} */ provider) =>
  h(
    "a",
    { class: "button button-wide", href: startHref(provider) },
    t("Log in with {provider}", { provider: provider.name }),
  );

/** Returns words for people who may create no account without an invitation. */
const missingWords = (/** @type {string | null} */ contact) =>
  contact
    ? t("You need an invitation to create an account. Ask for one: {contact}", { contact })
    : t("You need an invitation to create an account. Ask the operators of this server.");

/**
 * Returns words about the link that was opened; "" while they are not known.
 * @param {Came} came
 * @param {boolean | null} registers
 * @param {string | null} place the name of the place
 */
function linkWords(came, registers, place) {
  const { group, account } = came;
  if (registers === null) return "";
  if (account) return accountWords(account, registers, place);
  if (group === null) return "";
  if (group.kind === "dead") return DEAD_LINK;
  if (group.kind === "unknown") return group.why;
  if (registers && isForGuests(came)) {
    return t("You are invited to a group. Log in, or create a guest account to join it.");
  }
  return registers
    ? t("You are invited to a group. Log in or create an account to join it.")
    : t("You are invited to a group. Log in to join it. This server does not accept new accounts.");
}

/** Returns words about an operators' invitation. */
function accountWords(
  /** @type {import("./registration.js").CheckedInvitation} */ account,
  /** @type {boolean} */ registers,
  /** @type {string | null} */ place,
) {
  if (account.kind === "dead") return deadInvitation(account.status);
  if (account.kind === "unknown") return account.why;
  if (!registers) return t("You are invited. This server creates no accounts with a password.");
  return place
    ? t("You are invited to {place}. Create an account.", { place })
    : t("You are invited. Create an account.");
}

function passwordProblem(/** @type {string} */ password, /** @type {boolean} */ registering) {
  if (password === "") return t("Enter your password.");
  return (
    registering &&
    countChars(password) < LEAST_PASSWORD &&
    t("Use at least {PASSWORD} characters.", { PASSWORD: LEAST_PASSWORD })
  );
}
