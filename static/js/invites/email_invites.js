/**
 * The form that invites people to the open group by email: each address gets a link for one person. Where the server
 * sends no mail, the links are offered to be copied.
 */

import { copied } from "../ui/copy.js";
import { h } from "../ui/dom.js";
import { allRight, busyForm, lines } from "../ui/field.js";
import { t } from "../words/words.js";

/** @typedef {import("../groups/group_calls.js").EmailInvite} EmailInvite */

/** Addresses that the server takes at once. */
const MOST = 50;

/**
 * @param {(emails: string[]) => Promise<EmailInvite[]>} send
 * @param {() => void} onSent
 */
export function createEmailInvites(send, onSent) {
  const emails = lines({
    label: t("Email addresses"),
    name: "emails",
    autocomplete: "off",
    hint: t("Each address gets a link for one person, which ends after 7 days."),
  });
  const alert = h("p", { class: "alert", role: "alert" });
  const submit = h("button", { class: "button", type: "submit" }, t("Invite by email"));
  const outcome = h("ul", { class: "group-bots" });
  const node = h(
    "form",
    { class: "dialog-form", novalidate: true },
    emails.node,
    alert,
    h("p", { class: "unsent-actions" }, submit),
    h("div", { role: "status" }, outcome),
  );
  const run = busyForm(submit, alert, async () => {
    const listed = emails.input.value.split(/[\s,;]+/).filter(Boolean);
    const wrong = listed.find((email) => !/^\S+@\S+$/.test(email));
    const problem =
      (listed.length === 0 && t("Enter an email address, like ana@example.org.")) ||
      (wrong !== undefined && t("{address} is not an email address.", { address: wrong })) ||
      (listed.length > MOST && t("At most {MOST} addresses at a time.", { MOST }));
    if (!allRight([[emails, problem]])) return;
    const invites = await send(listed);
    emails.input.value = "";
    outcome.replaceChildren(...invites.map(row));
    onSent();
  });
  node.addEventListener("submit", run);

  return {
    node,
    /** Empties the form, for another group. */
    clear() {
      emails.input.value = "";
      emails.complain("");
      alert.textContent = "";
      outcome.replaceChildren();
    },
  };
}

/** What became of an address. */
function row(/** @type {EmailInvite} */ { email, sent, url }) {
  const copy = h(
    "button",
    { class: "button", type: "button", "aria-label": t("Copy the link for {email}", { email }) },
    t("Copy"),
  );
  const said = h("span", { class: "copy-said", role: "status" });
  copy.addEventListener("click", async () => {
    said.textContent = (await copied(url)) ? t("Copied") : url;
  });
  return h(
    "li",
    { class: "group-bot" },
    h(
      "div",
      { class: "bot-words" },
      h("span", { class: "bot-name" }, h("bdi", { class: "ends" }, email)),
      h("span", { class: "bot-line" }, sent ? t("A mail is on its way.") : t("This server sends no mail.")),
      !sent && h("p", { class: "unsent-actions" }, copy, said),
    ),
  );
}
