/**
 * The window that makes a token of one's own, with chosen scopes and an end.
 *
 * Owns its steps: the form, the password if the log-in is too old, and the token, which is shown once.
 */

import { ApiError } from "../sync/api.js";
import { copyable } from "../ui/copy.js";
import { openForm } from "../ui/dialog_form.js";
import { fillWith, h } from "../ui/dom.js";
import { allRight, choice, field, passwordField } from "../ui/field.js";
import { t } from "../words/words.js";
import { scopeChoices } from "./scope_choices.js";
import { CHOSEN_AT_FIRST, SCOPES } from "./scopes.js";

const DAY_SECONDS = 24 * 60 * 60;

const ends = () => [
  { value: String(7 * DAY_SECONDS), label: t("In 7 days") },
  { value: String(30 * DAY_SECONDS), label: t("In 30 days") },
  { value: String(90 * DAY_SECONDS), label: t("In 90 days") },
  { value: "", label: t("As late as the server allows") },
];

/**
 * @param {import("../app/app.js").App} app
 * @param {{ isOperator: boolean, changed: () => Promise<void> }} options `isOperator` offers their scopes too
 */
export function openNewToken({ account, factors }, { isOperator, changed }) {
  const name = field({ label: t("Name"), name: "name", autocomplete: "off", maxlength: 100 });
  const end = choice({ label: t("Ends"), options: ends(), value: String(30 * DAY_SECONDS) });
  const choices = scopeChoices({
    label: t("What the token may do"),
    scopes: Object.keys(SCOPES).filter(
      (scope) => scope !== "scim" && (isOperator || !scope.startsWith("admin:")),
    ),
    checked: (scope) => CHOSEN_AT_FIRST.includes(scope),
  });
  const password = passwordField();
  const problem = h("p", { class: "problem", role: "alert" });
  const place = h("div", { class: "dialog-form" }, name.node, end.node, choices.node, problem);
  /** @type {"form" | "password" | "token"} */
  let step = "form";

  openForm({
    title: t("New token"),
    asks: [place],
    act: t("Continue"),
    async onSubmit(close) {
      if (step === "token") return close();
      if (step === "password") {
        if (!allRight([[password, password.input.value === "" && t("Enter your password.")]])) return;
        await factors.prove({ password: password.input.value });
        return make();
      }
      const isNamed = allRight([[name, name.input.value.trim() === "" && t("Enter a name.")]]);
      problem.textContent = chosen().length === 0 ? t("Choose at least one.") : "";
      if (isNamed && chosen().length > 0) await make();
    },
  });
  name.input.focus();

  const chosen = () => choices.chosen();

  async function make() {
    const seconds = Number(end.input.value);
    const form = { name: name.input.value.trim(), scopes: chosen() };
    try {
      const { access_token: token } = await account.makeToken(
        seconds ? { ...form, expires_in: seconds } : form,
      );
      step = "token";
      fillWith(
        place,
        h("p", {}, t("Copy it now. It will not be shown again.")),
        copyable({ label: t("token"), text: token }),
      );
    } catch (error) {
      if (step === "password" || !(error instanceof ApiError) || error.status !== 403) throw error;
      step = "password";
      fillWith(place, h("p", { class: "quiet" }, t("Please confirm that it is you.")), password.node);
      password.input.focus();
      return;
    }
    await changed();
  }
}
