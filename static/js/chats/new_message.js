/** The window that asks whom to write to: everybody who shares a group or a chat with the user. */

import { chatHref } from "../app/route.js";
import { avatar } from "../people/avatar.js";
import { plain } from "../search/finding.js";
import { openDialog } from "../ui/dialog.js";
import { h, reconcile } from "../ui/dom.js";
import { field } from "../ui/field.js";
import { composes } from "../ui/input_method.js";
import { t } from "../words/words.js";
import { convOfPair, isRequest } from "./chats.js";

/** @typedef {import("../sync/types.js").Person} Person */
/** @typedef {import("../sync/types.js").Snapshot} Snapshot */

export function openNewMessage(/** @type {import("../app/app.js").App} */ app) {
  const { snapshot } = app.state.get();
  if (!snapshot) return;
  const people = acquaintances(snapshot);
  const search = field({
    label: t("To"),
    type: "search",
    autocomplete: "off",
    placeholder: t("Type a name"),
  });
  const list = h("ul", { class: "people", "aria-label": t("People") });
  const nobody = h("p", { class: "quiet", role: "status" });

  openDialog({
    title: t("New message"),
    content(close) {
      function show() {
        const wanted = plain(search.input.value);
        const found = people.filter(({ name }) => plain(name).includes(wanted));
        nobody.textContent = found.length > 0 ? "" : nobodyWords(people.length);
        reconcile(
          list,
          found.map((person) => ({ key: person.id, sign: "", build: () => personRow(person) })),
        );
      }

      function personRow(/** @type {Person} */ person) {
        const href = chatHref(convOfPair(snapshot?.user.id ?? "", person.id));
        const onclick = () => {
          app.people.meet(person);
          close();
        };
        return h(
          "li",
          {},
          h("a", { class: "people-row", href, onclick }, avatar(person), h("bdi", {}, person.name)),
        );
      }

      search.input.addEventListener("input", show);
      // Enter chooses the first match.
      search.input.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" || composes(event)) return;
        // Otherwise Enter would press the element that has the focus once the window is closed.
        event.preventDefault();
        list.querySelector("a")?.click();
      });
      show();
      return [h("div", { class: "dialog-form" }, search.node, nobody, list)];
    },
  });
}

function nobodyWords(/** @type {number} */ known) {
  return known > 0
    ? t("Nobody you know here has this name.")
    : t("You share no group with anyone yet. Create one, or join one with its link.");
}

/** Returns everybody to whom the user can write by name, sorted by name. @returns {Person[]} */
export function acquaintances(/** @type {Snapshot} */ { conversations, user }) {
  /** @type {Map<string, Person>} */
  const people = new Map();
  for (const conversation of Object.values(conversations)) {
    const { group, other } = conversation;
    for (const { user_id: id, name, nickname, image_url: imageUrl } of group?.members ?? []) {
      people.set(id, { id, name: name ?? nickname, imageUrl });
    }
    if (other?.name && !isRequest(conversation)) people.set(other.id, other);
  }
  people.delete(user.id);
  return [...people.values()].sort((a, b) => a.name.localeCompare(b.name));
}
