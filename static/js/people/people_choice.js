/** A list of people in a form, of whom several are chosen by name. */

import { plain } from "../search/finding.js";
import { h, reconcile, setText } from "../ui/dom.js";
import { field } from "../ui/field.js";
import { t } from "../words/words.js";
import { avatar } from "./avatar.js";

/** @typedef {import("../sync/types.js").Person} Person */

/**
 * Makes the list. Those who are chosen stay in it, whatever is searched for.
 *
 * @param {{ label: string, people: Person[] }} options
 */
export function createPeopleChoice({ label, people }) {
  let left = people;
  /** @type {Set<string>} */
  const ids = new Set();
  const search = field({ label, type: "search", autocomplete: "off", placeholder: t("Type a name") });
  const list = h("ul", { class: "people people-choice", "aria-label": t("People") });
  const nobody = h("p", { class: "quiet", role: "status" });

  function show() {
    const wanted = plain(search.input.value);
    const shown = left.filter(({ id, name }) => ids.has(id) || plain(name).includes(wanted));
    setText(nobody, shown.length > 0 ? "" : t("Nobody you know here has this name."));
    reconcile(
      list,
      shown.map((person) => ({ key: person.id, sign: "", build: () => row(person) })),
    );
  }

  function row(/** @type {Person} */ person) {
    const choose = (/** @type {Event} */ event) => {
      if (/** @type {HTMLInputElement} */ (event.target).checked) ids.add(person.id);
      else ids.delete(person.id);
      search.complain("");
    };
    const box = h("input", { class: "check-box", type: "checkbox", onchange: choose });
    const name = h("bdi", { class: "people-name" }, person.name);
    return h("li", {}, h("label", { class: "people-row" }, avatar(person), name, box));
  }

  search.input.addEventListener("input", show);
  show();

  return {
    node: h("div", {}, search.node, nobody, list),
    search,
    chosen: () => left.filter(({ id }) => ids.has(id)),
    /** Takes people out of the list, and begins again. */
    takeOut(/** @type {Person[]} */ gone) {
      left = left.filter((person) => !gone.includes(person));
      ids.clear();
      search.input.value = "";
      show();
    },
  };
}
