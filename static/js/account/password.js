/** The sections that change the password and delete the account; both ask for the current password. */

import { countChars } from "../text/text.js";
import { h, setText } from "../ui/dom.js";
import { allRight, busyForm, field } from "../ui/field.js";
import { inRow, t } from "../words/words.js";

/** @typedef {import("./account.js").AccountActs} AccountActs */

const LEAST = 8;

export function createPassword(
  /** @type {AccountActs} */ account,
  /** @type {() => Promise<void>} */ onChanged,
) {
  const current = field({
    label: t("Current password"),
    type: "password",
    autocomplete: "current-password",
    name: "current",
  });
  const next = field({
    label: t("New password"),
    type: "password",
    autocomplete: "new-password",
    name: "next",
    hint: t("At least 8 characters. All other sessions and applications are logged out."),
  });
  const alert = h("p", { class: "alert", role: "alert" });
  const outcome = h("p", { class: "outcome", role: "status" });
  const submit = h("button", { class: "button", type: "submit" }, t("Change password"));
  const form = h(
    "form",
    { class: "account-form", novalidate: true },
    current.node,
    next.node,
    alert,
    outcome,
    submit,
  );
  const remaining = createRemaining(account);
  form.addEventListener("submit", busyForm(submit, alert, change));

  async function change() {
    setText(outcome, "");
    const fine = allRight([
      [current, current.input.value === "" && t("Enter your password.")],
      [next, countChars(next.input.value) < LEAST && t("Use at least {LEAST} characters.", { LEAST })],
    ]);
    if (!fine) return;
    const actors = await account.changePassword({
      current_password: current.input.value,
      new_password: next.input.value,
    });
    form.reset();
    remaining.show(actors);
    setText(outcome, t("Your password was changed. All other sessions were logged out."));
    await onChanged();
  }

  const heading = h("h3", {}, t("Password"));
  return { node: h("section", { "aria-label": t("Password") }, heading, form, remaining.node) };
}

/** Lists the bots and applications that still act for me after a new password, and removes them. */
function createRemaining(/** @type {AccountActs} */ account) {
  const words = h("p", { class: "quiet" });
  const alert = h("p", { class: "alert", role: "alert" });
  const submit = h("button", { class: "button button-danger", type: "submit" }, t("Remove all of them"));
  const node = h("form", { class: "account-form", hidden: true }, words, alert, submit);
  /** @type {import("../sync/api.js").Remaining} */
  let actors = { bots: [], applications: [] };
  node.addEventListener(
    "submit",
    busyForm(submit, alert, async () => {
      await account.removeActors(actors);
      node.hidden = true;
    }),
  );
  return {
    node,
    show(/** @type {import("../sync/api.js").Remaining} */ found) {
      actors = found;
      const names = [...found.bots, ...found.applications].map((actor) => actor.name);
      setText(words, t("These bots and applications still act for you: {names}.", { names: inRow(names) }));
      node.hidden = names.length === 0;
    },
  };
}

export function createDeletion(/** @type {AccountActs} */ account) {
  const password = field({
    label: t("Confirm with your password"),
    type: "password",
    autocomplete: "current-password",
    name: "password",
  });
  const alert = h("p", { class: "alert", role: "alert" });
  const submit = h("button", { class: "button button-danger", type: "submit" }, t("Delete my account"));
  const form = h("form", { class: "account-form", novalidate: true }, password.node, alert, submit);
  form.addEventListener("submit", busyForm(submit, alert, end));

  async function end() {
    if (!allRight([[password, password.input.value === "" && t("Enter your password.")]])) return;
    await account.deleteAccount({ password: password.input.value });
  }

  return {
    node: h(
      "section",
      { "aria-label": t("Delete account") },
      h("h3", {}, t("Delete account")),
      h(
        "p",
        { class: "quiet" },
        t(
          "You will leave your groups, and your bots and applications will be deleted. Your messages stay, under your name. First hand over or delete the groups that you own.",
        ),
      ),
      form,
    ),
  };
}
