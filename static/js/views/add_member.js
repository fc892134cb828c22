/**
 * The window that adds one person to a group, by email, phone number or user id.
 *
 * The server adds members asynchronously, so the window waits for the result and shows it.
 */

import { h, setText } from "../dom.js";
import { may } from "../permissions.js";
import { t } from "../words.js";
import { openDialog } from "./dialog.js";
import { allRight, busyForm, field } from "./field.js";

/** @typedef {import("../app.js").Who} Who */

const WAYS = {
  email: {
    label: t("Email"),
    type: "email",
    problem: t("Enter an email address, like ben@example.org."),
    fits: /^\S+@\S+$/,
    who: (/** @type {string} */ email) => ({ email }),
  },
  phone: {
    label: t("Phone number"),
    type: "tel",
    problem: t("Enter a phone number with its country code, like +1 555 010 0199."),
    fits: /^\+?[\d\s().-]{5,}$/,
    who: (/** @type {string} */ number) => ({ phone_number: number }),
  },
  id: {
    label: t("User id"),
    type: "text",
    problem: t("A user id is a number."),
    fits: /^\d+$/,
    who: (/** @type {string} */ id) => ({ user_id: id }),
  },
};

/** @typedef {keyof typeof WAYS} Way */

export function openAddMember(
  /** @type {import("../app.js").App} */ app,
  /** @type {import("../types.js").Group} */ group,
) {
  /** @type {Way} */
  let way = "email";
  const address = field({ label: WAYS.email.label, type: "email", autocomplete: "off", name: "address" });
  const nickname = field({
    label: t("Their name in this group"),
    autocomplete: "off",
    name: "nickname",
    hint: t("They can change it later."),
  });
  function notAdded(/** @type {string} */ name) {
    const me = app.state.get().snapshot?.user.id ?? "";
    const asks = group.requires_approval && !may(group, me, "decide_requests");
    if (asks) return t("If {name} has an account here, the owner or an admin decides.", { name });
    return notFound(way, name);
  }

  const alert = h("p", { class: "alert", role: "alert" });
  const outcome = h("p", { class: "outcome", role: "status" });
  const submit = h("button", { class: "button button-primary", type: "submit" }, t("Add"));

  const ways = h(
    "fieldset",
    { class: "segments", onchange: choose },
    h("legend", { class: "label" }, t("Find by")),
    h("div", { class: "segments-row" }, ...Object.entries(WAYS).map(segment)),
  );

  function choose(/** @type {Event} */ event) {
    way = /** @type {Way} */ (/** @type {HTMLInputElement} */ (event.target).value);
    address.rename(WAYS[way].label);
    address.input.type = WAYS[way].type;
    address.complain("");
  }

  const dialog = openDialog({
    title: t("Add to {name}", { name: group.name }),
    content(close) {
      const form = h(
        "form",
        { class: "dialog-form", novalidate: true },
        ways,
        address.node,
        nickname.node,
        alert,
        outcome,
        h(
          "div",
          { class: "dialog-actions" },
          h("button", { class: "button", type: "button", onclick: close }, t("Done")),
          submit,
        ),
      );
      form.addEventListener("submit", busyForm(submit, alert, add));
      return [form];
    },
  });
  dialog.classList.add("dialog-add");
  address.input.focus();

  async function add() {
    const where = address.input.value.trim();
    const name = nickname.input.value.trim();
    const { fits, problem, who } = WAYS[way];
    setText(outcome, "");
    const fine = allRight([
      [address, !fits.test(where) && problem],
      [nickname, name === "" && t("Enter a name for this group.")],
    ]);
    if (!fine) return;
    setText(outcome, t("Adding {name}…", { name }));
    try {
      const member = await app.addMember(group.id, name, who(where));
      setText(outcome, member ? t("{nickname} was added.", { nickname: member.nickname }) : notAdded(name));
      if (!member) return;
      address.input.value = nickname.input.value = "";
      address.input.focus();
    } catch (error) {
      setText(outcome, "");
      throw error;
    }
  }
}

function segment(/** @type {[string, { label: string }]} */ [value, { label }], /** @type {number} */ index) {
  return h(
    "label",
    { class: "segment" },
    h("input", { type: "radio", name: "way", value, checked: index === 0 }),
    h("span", {}, label),
  );
}

function notFound(/** @type {Way} */ way, /** @type {string} */ name) {
  if (way === "id") return t("No user with this id could be added.");
  return t("{name} has no account here yet, and will join when they create one.", { name });
}
