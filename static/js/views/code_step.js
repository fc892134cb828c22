/** The step of a log-in that asks for the second factor. */

import { ApiError } from "../api.js";
import { h, setText } from "../dom.js";
import { t } from "../words.js";
import { allRight, busyForm, check, field } from "./field.js";

/**
 * @param {{
 *   finish: (code: string, trust: boolean) => Promise<unknown>,
 *   onEnd: (why: string) => void,
 * }} options `onEnd` shows the form for the password again
 */
export function createCodeStep({ finish, onEnd }) {
  const code = field({
    label: t("Code"),
    name: "code",
    autocomplete: "one-time-code",
    spellcheck: "false",
    dir: "ltr",
    hint: t("The six digits of your authenticator app, or a recovery code."),
  });
  const trust = check({
    label: t("Trust this device"),
    hint: t("For 30 days, log-ins here need no code."),
  });
  const alert = h("p", { class: "alert", role: "alert" });
  const submit = h("button", { class: "button button-primary button-wide", type: "submit" }, t("Continue"));
  const back = h(
    "p",
    { class: "sign-in-other" },
    h("button", { class: "button-link", type: "button", onclick: () => onEnd("") }, t("Back to log in")),
  );
  const node = h(
    "form",
    { class: "sign-in-form", novalidate: true, hidden: true },
    code.node,
    trust.node,
    alert,
    submit,
    back,
  );
  node.addEventListener(
    "submit",
    busyForm(submit, alert, async () => {
      if (!allRight([[code, code.input.value.trim() === "" && t("Enter the code.")]])) return;
      try {
        await finish(code.input.value, trust.input.checked);
      } catch (error) {
        if (!(error instanceof ApiError) || error.status !== 401) throw error;
        // Without tries left, or after five minutes, the log-in begins again.
        if (!/tries left/.test(error.message)) return onEnd(t("This log-in has expired. Log in again."));
        code.input.select();
        throw new Error(t("This code is wrong or was used already."));
      }
    }),
  );
  return {
    node,
    open() {
      node.hidden = false;
      code.input.value = "";
      setText(alert, "");
      code.input.focus();
    },
    close() {
      node.hidden = true;
    },
  };
}
