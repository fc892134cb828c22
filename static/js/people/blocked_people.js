/** The section of the account page with the people whom the user blocks. There is none while nobody is blocked. */

import { personKnown } from "../chats/chats.js";
import { h, reconcile } from "../ui/dom.js";
import { t } from "../words/words.js";
import { avatar } from "./avatar.js";
import { endBlock } from "./blocking.js";

/** @typedef {import("../sync/types.js").Person} Person */

export function createBlockedPeople(/** @type {import("../app/app.js").App} */ app) {
  const heading = h("h3", { tabindex: "-1" }, t("Blocked people"));
  const list = h("ul", { class: "keys" });
  const node = h("section", { "aria-label": t("Blocked people"), hidden: true }, heading, list);

  function show() {
    const { snapshot } = app.state.get();
    const ids = snapshot?.blocked ?? [];
    node.hidden = ids.length === 0;
    reconcile(
      list,
      ids.map((id) => {
        const known = snapshot && personKnown(snapshot, id);
        // Nobody learns the name of somebody with whom they share no conversation.
        const person = known ?? { id, name: t("User {id}", { id }), imageUrl: null };
        return { key: id, sign: person.name, build: () => row(person) };
      }),
    );
  }

  function row(/** @type {Person} */ person) {
    const { name } = person;
    async function unblock() {
      await endBlock(app, person);
      show();
      // The button is gone with the block.
      (list.querySelector("button") ?? heading).focus();
    }
    return h(
      "li",
      { class: "key" },
      avatar(person),
      h("bdi", { class: "key-words key-name" }, name),
      h(
        "button",
        { class: "button", type: "button", "aria-label": t("Unblock {name}", { name }), onclick: unblock },
        t("Unblock"),
      ),
    );
  }

  return { node, show };
}
