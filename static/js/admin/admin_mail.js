/** The mails that wait and those that were given up, and the windows that send one again and test the mail server. */

import { fullTime, isoTime } from "../text/time.js";
import { openForm } from "../ui/dialog_form.js";
import { h, setText } from "../ui/dom.js";
import { choice, field } from "../ui/field.js";
import { t } from "../words/words.js";
import { createAdminList } from "./admin_list.js";
import { adminPersonHref } from "./admin_route.js";
import { reasonField } from "./reason_field.js";

/** @typedef {import("./admin_calls.js").AdminMail} AdminMail */

/** After how long the list is loaded again once a mail is sent again, in milliseconds: it is sent meanwhile. */
const LATER = [1_500, 6_000];

/** @type {Record<string, string>} */
const KINDS = {
  recovery: t("Link for a new password"),
  confirmation: t("Confirmation of an address"),
  password_changed: t("Notice: password changed"),
  address_changing: t("Notice: another address entered"),
  address_changed: t("Notice: address changed"),
  recovered: t("Notice: new password by a link"),
  factor_added: t("Notice: two-factor log-in turned on"),
  factor_removed: t("Notice: two-factor log-in turned off"),
  passkey_added: t("Notice: passkey added"),
  passkey_removed: t("Notice: passkey removed"),
  group_invite: t("Invitation to a group"),
  missed: t("Missed messages"),
  already_registered: t("Registration with a known address"),
  approved: t("Account approved"),
};

export function createAdminMail(/** @type {import("./admin_calls.js").AdminCalls} */ calls) {
  const setup = h("p", {});
  const counts = h("p", { class: "quiet" });
  const outcome = h("p", { class: "outcome", role: "status" });
  const test = h("button", { class: "button", type: "button", onclick: openTest }, t("Send a test mail"));
  const refresh = h(
    "button",
    {
      class: "button",
      type: "button",
      onclick() {
        setText(outcome, "");
        list.load();
      },
    },
    t("Refresh"),
  );
  const state = choice({
    label: t("State of the mails"),
    options: [
      { value: "", label: t("Waiting and given up") },
      { value: "waiting", label: t("Waiting") },
      { value: "dead", label: t("Given up") },
    ],
  });
  let sends = false;
  let isConfigured = false;
  const list = createAdminList({
    label: t("Mail"),
    none: t("There are no such mails."),
    async load(_, before) {
      const page = await calls.mails(state.input.value, before);
      isConfigured = page.configured;
      setText(
        setup,
        page.sender === null
          ? t("This server sends no mail. Set the options --smtp-url and --mail-from, and restart it.")
          : t("The server sends mail from {sender}.", { sender: page.sender }),
      );
      setText(counts, t("Waiting: {waiting} · given up in the last week: {dead}", page.counts));
      test.hidden = !(sends && isConfigured);
      return { entries: page.mails, before: page.before };
    },
    row,
  });
  state.input.addEventListener("change", () => list.load());
  const actions = h("p", { class: "unsent-actions" }, test, refresh);
  const node = h("section", {}, setup, counts, actions, outcome, state.node, list.node);

  /** @returns {import("../ui/dom.js").Row} */
  function row(/** @type {AdminMail} */ mail) {
    const { id, kind, to, user, state: now, attempts, can_retry: can } = mail;
    const time = (/** @type {string} */ words, /** @type {number | null} */ at) =>
      at !== null &&
      h("p", { class: "quiet" }, `${words} `, h("time", { datetime: isoTime(at) }, fullTime(at)));
    const build = () =>
      h(
        "li",
        { class: "key" },
        h(
          "div",
          { class: "key-words" },
          h("p", { class: "key-name" }, KINDS[kind] ?? kind),
          h(
            "p",
            {},
            h("bdi", {}, to),
            " · ",
            h("a", { href: adminPersonHref(user.user_id), dir: "auto" }, user.name ?? user.user_id),
          ),
          mail.last_error && h("p", { class: "problem", dir: "auto" }, mail.last_error),
          h("p", { class: "quiet" }, t("Failed attempts: {attempts}", { attempts })),
          time(t("Queued:"), mail.created_at),
          time(t("Next attempt:"), mail.next_attempt_at),
          time(t("Given up:"), mail.dead_at),
          now === "dead" &&
            !can &&
            h("p", { class: "quiet" }, t("It cannot be sent again: its link has ended, or nobody needs it.")),
          sends &&
            isConfigured &&
            can &&
            h(
              "div",
              { class: "button-row" },
              h(
                "button",
                {
                  class: "button",
                  type: "button",
                  "aria-label": t("Try again: mail to {to}", { to }),
                  onclick: () => openRetry(mail),
                },
                t("Try again"),
              ),
            ),
        ),
      );
    return { key: id, sign: JSON.stringify([mail, sends, isConfigured]), build };
  }

  function openTest() {
    setText(outcome, "");
    const to = field({
      label: t("To (optional)"),
      hint: t("Without an address, the mail goes to you."),
      name: "to",
      type: "email",
      dir: "ltr",
      autocomplete: "off",
    });
    const reason = field({
      label: t("Reason (optional)"),
      hint: t("It is written to the audit log."),
      name: "reason",
      autocomplete: "off",
      maxlength: 500,
    });
    openForm({
      title: t("Send a test mail"),
      asks: [to.node, reason.node],
      act: t("Send"),
      async onSubmit(close) {
        const sent = await calls.testMail(to.input.value.trim(), reason.input.value.trim());
        close();
        setText(outcome, t("The mail server accepted the test mail to {to}.", { to: sent.to }));
      },
    });
  }

  function openRetry(/** @type {AdminMail} */ { id, to }) {
    setText(outcome, "");
    const reason = reasonField();
    openForm({
      title: t("Send the mail to {to} again?", { to }),
      asks: [h("p", { class: "quiet" }, t("It is sent at once, with a new link.")), reason.node],
      act: t("Send again"),
      async onSubmit(close) {
        const why = reason.read();
        if (why === null) return;
        await calls.retryMail(id, why);
        close();
        // The button that opened the window may be gone.
        refresh.focus();
        setText(outcome, t("The mail to {to} is being sent again.", { to }));
        list.load();
        for (const pause of LATER) setTimeout(() => node.isConnected && list.load(), pause);
      },
    });
  }

  return {
    node,
    /** Loads the list; `role` decides whether mails can be sent. */
    load(/** @type {import("./admin_calls.js").OperatorRole} */ role) {
      sends = role === "admin";
      test.hidden = true;
      for (const place of [setup, counts, outcome]) setText(place, "");
      return list.load();
    },
  };
}
