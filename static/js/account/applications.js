/** The tab with the applications that the user made: lists, registers and deletes them. */

import { reasonOf } from "../text/reason.js";
import { confirm } from "../ui/confirm.js";
import { h, reconcile, setText } from "../ui/dom.js";
import { allRight, busyForm, field } from "../ui/field.js";
import { t } from "../words/words.js";
import { scopeChoices } from "./scope_choices.js";
import { OF_APPLICATIONS, scopeWords } from "./scopes.js";

/** @typedef {import("../sync/types.js").Application} Application */

/** Whether a text may be a callback URL: on the web, or with the scheme of a native application. */
const isCallback = (/** @type {string} */ text) =>
  /^(?:https?:\/\/|[a-z][a-z0-9+-]*\.[a-z0-9+.-]+:\/)./i.test(text);

export function createApplications(/** @type {import("./account.js").AccountActs} */ account) {
  const name = field({ label: t("Name"), name: "name", autocomplete: "off", maxlength: 100 });
  const callback = field({
    label: t("Callback URL"),
    name: "callback_url",
    type: "url",
    autocomplete: "off",
    placeholder: "https://example.org/callback",
    hint: t(
      "People return to this URL: https, or http on localhost. It must match exactly, except for the port at 127.0.0.1.",
    ),
  });
  const scopes = scopeChoices({
    label: t("What the application may ask for"),
    scopes: OF_APPLICATIONS,
    checked: () => true,
  });
  const alert = h("p", { class: "alert", role: "alert" });
  const trouble = h("p", { class: "alert", role: "alert" });
  const status = h("p", { class: "hidden", role: "status" });
  const submit = h("button", { class: "button button-primary", type: "submit" }, t("Register application"));
  const form = h(
    "form",
    { class: "account-form", novalidate: true },
    name.node,
    callback.node,
    scopes.node,
    h("p", { class: "hint" }, t("Tick only what it needs: people see this list before they allow access.")),
    alert,
    submit,
  );
  form.addEventListener("submit", busyForm(submit, alert, register));
  const list = h("ul", { class: "keys" });
  const node = h(
    "div",
    { class: "account-sections" },
    h(
      "section",
      { "aria-label": t("Your applications") },
      h("h3", {}, t("Your applications")),
      h(
        "p",
        { class: "quiet" },
        t(
          "An application sends people to its link. They log in here, allow access, and return to its callback URL with a token. ",
        ),
        h("a", { href: "/docs#applications" }, t("Documentation")),
      ),
      trouble,
      list,
    ),
    h("section", { "aria-label": t("New application") }, h("h3", {}, t("New application")), form),
    status,
  );

  async function load() {
    setText(trouble, "");
    try {
      reconcile(list, (await account.applications()).map(row));
    } catch (error) {
      setText(trouble, reasonOf(error));
    }
  }

  async function register() {
    const facts = { name: name.input.value.trim(), callback_url: callback.input.value.trim() };
    const fine = allRight([
      [name, facts.name === "" && t("Enter a name.")],
      [callback, !isCallback(facts.callback_url) && t("Enter a URL, like https://example.org/callback.")],
    ]);
    if (!fine) return;
    const asked = scopes.chosen();
    if (asked.length === 0) throw new Error(t("Choose at least one."));
    await account.registerApplication({ ...facts, scopes: asked });
    form.reset();
    scopes.reset();
    setText(status, t("{name} is registered.", { name: facts.name }));
    await load();
  }

  async function remove(/** @type {Application} */ { client_id: id, name: called }) {
    await account.removeApplication(id);
    setText(status, t("{called} was deleted.", { called }));
    await load();
  }

  /** @returns {import("../ui/dom.js").Row} */
  function row(/** @type {Application} */ application) {
    return {
      key: application.client_id,
      sign: JSON.stringify(application),
      build: () => applicationRow(application, () => askToRemove(application, remove)),
    };
  }

  return { node, load };
}

function applicationRow(/** @type {Application} */ application, /** @type {() => void} */ onRemove) {
  const { client_id: id, name, callback_url: callback, scopes } = application;
  const isForAll = scopes.length === OF_APPLICATIONS.length;
  const link = `${location.origin}/oauth/authorize?client_id=${id}`;
  const facts = Object.entries({
    [t("Client id")]: id,
    [t("Callback URL")]: callback,
    [t("Authorization link")]: link,
  });
  return h(
    "li",
    { class: "key" },
    h(
      "div",
      { class: "key-words" },
      h("p", { class: "key-name" }, name),
      h(
        "dl",
        { class: "facts" },
        ...facts.flatMap(([term, value]) => [h("dt", {}, term), h("dd", {}, h("code", {}, value))]),
        h("dt", {}, t("What the application may ask for")),
        h("dd", {}, isForAll ? t("Everything that applications may do") : scopeWords(scopes).join(" · ")),
      ),
    ),
    h(
      "button",
      { class: "button", type: "button", "aria-label": t("Delete: {name}", { name }), onclick: onRemove },
      t("Delete"),
    ),
  );
}

function askToRemove(
  /** @type {Application} */ application,
  /** @type {(application: Application) => Promise<void>} */ remove,
) {
  confirm({
    title: t("Delete {name}?", { name: application.name }),
    words: t("Everyone who authorized it is logged out of it at once."),
    act: t("Delete application"),
    onSure: () => remove(application),
  });
}
