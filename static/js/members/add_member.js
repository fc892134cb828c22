/**
 * The window that adds people to a group: those one knows by name, anybody else by email, phone number or user id.
 *
 * The server adds members asynchronously, so the window waits for the result and shows it.
 */

import { acquaintances } from "../chats/new_message.js";
import { may } from "../groups/permissions.js";
import { createPeopleChoice } from "../people/people_choice.js";
import { openDialog } from "../ui/dialog.js";
import { h, setText } from "../ui/dom.js";
import { allRight, busyForm, field } from "../ui/field.js";
import { t } from "../words/words.js";

/** @typedef {import("../app/app.js").Who} Who */

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
/** The way to find people among those one knows. */
const BY_NAME = "name";

export function openAddMember(
  /** @type {import("../app/app.js").App} */ app,
  /** @type {import("../sync/types.js").Group} */ group,
) {
  const { snapshot } = app.state.get();
  const isMember = new Set(group.members?.map(({ user_id: id }) => id));
  const others = snapshot ? acquaintances(snapshot).filter(({ id }) => !isMember.has(id)) : [];
  /** @type {Way | typeof BY_NAME} */
  let way = others.length > 0 ? BY_NAME : "email";
  const known = createPeopleChoice({ label: t("Name"), people: others });
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
    if (way === BY_NAME) return t("{name} could not be added.", { name });
    return notFound(way, name);
  }

  const alert = h("p", { class: "alert", role: "alert" });
  const outcome = h("p", { class: "outcome", role: "status" });
  const submit = h("button", { class: "button button-primary", type: "submit" }, t("Add"));

  const ways = h(
    "fieldset",
    { class: "segments", onchange: choose },
    h("legend", { class: "label" }, t("Find by")),
    h(
      "div",
      { class: "segments-row" },
      others.length > 0 && segment(BY_NAME, t("Name"), true),
      ...Object.entries(WAYS).map(([value, { label }]) => segment(value, label, value === way)),
    ),
  );

  function choose(/** @type {Event} */ event) {
    way = /** @type {typeof way} */ (/** @type {HTMLInputElement} */ (event.target).value);
    show();
  }

  function show() {
    known.node.hidden = way !== BY_NAME;
    address.node.hidden = nickname.node.hidden = way === BY_NAME;
    if (way === BY_NAME) return;
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
        known.node,
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
  show();
  (way === BY_NAME ? known.search : address).input.focus();

  async function add() {
    setText(outcome, "");
    try {
      await (way === BY_NAME ? addKnown() : addBy(WAYS[way]));
    } catch (error) {
      setText(outcome, "");
      throw error;
    }
  }

  async function addKnown() {
    const chosen = known.chosen();
    if (!allRight([[known.search, chosen.length === 0 && t("Choose somebody.")]])) return;
    setText(outcome, t("Adding {name}…", { name: chosen.map(({ name }) => name).join(", ") }));
    const people = chosen.map(({ id, name }) => ({ nickname: name, user_id: id }));
    const members = await app.addMembers(group.id, people);
    const added = chosen.filter(({ id }) => members.some((member) => member.user_id === id));
    const words = chosen.map((one) => (added.includes(one) ? wasAdded(one.name) : notAdded(one.name)));
    setText(outcome, words.join(" "));
    known.takeOut(added);
    known.search.input.focus();
  }

  async function addBy(/** @type {typeof WAYS[Way]} */ { fits, problem, who }) {
    const where = address.input.value.trim();
    const name = nickname.input.value.trim();
    const fine = allRight([
      [address, !fits.test(where) && problem],
      [nickname, name === "" && t("Enter a name for this group.")],
    ]);
    if (!fine) return;
    setText(outcome, t("Adding {name}…", { name }));
    const [member] = await app.addMembers(group.id, [{ nickname: name, ...who(where) }]);
    setText(outcome, member ? wasAdded(member.nickname) : notAdded(name));
    if (!member) return;
    address.input.value = nickname.input.value = "";
    address.input.focus();
  }
}

const wasAdded = (/** @type {string} */ nickname) => t("{nickname} was added.", { nickname });

function segment(/** @type {string} */ value, /** @type {string} */ label, /** @type {boolean} */ checked) {
  return h(
    "label",
    { class: "segment" },
    h("input", { type: "radio", name: "way", value, checked }),
    h("span", {}, label),
  );
}

function notFound(/** @type {Way} */ way, /** @type {string} */ name) {
  if (way === "id") return t("No user with this id could be added.");
  return t("{name} has no account here yet, and will join when they create one.", { name });
}
