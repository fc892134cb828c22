/** The step of a log-in that asks for the second factor. */

import { ApiError } from "../sync/api.js";
import { reasonOf } from "../text/reason.js";
import { h, setText } from "../ui/dom.js";
import { allRight, busyForm, check, codeField } from "../ui/field.js";
import { t } from "../words/words.js";
import { hasPasskeys } from "./passkeys.js";

/**
 * @param {{
 *   finish: (shown: string | import("./passkeys.js").ShownPasskey, trust: boolean) => Promise<unknown>,
 *   passkey: () => Promise<import("./passkeys.js").ShownPasskey>,
 *   onEnd: (why: string) => void,
 * }} options `passkey` asks for a passkey; `onEnd` shows the form for the password again
 */
export function createCodeStep({ finish, passkey, onEnd }) {
  const code = codeField(t("The six digits of your authenticator app, or a recovery code."));
  const trust = check({
    label: t("Trust this device"),
    hint: t("For 30 days, log-ins here need no code."),
  });
  const alert = h("p", { class: "alert", role: "alert" });
  const submit = h("button", { class: "button button-primary button-wide", type: "submit" }, t("Continue"));
  const byPasskey = h(
    "button",
    {
      class: "button button-wide",
      type: "button",
      async onclick() {
        setText(alert, "");
        try {
          await send(await passkey());
        } catch (error) {
          setText(alert, reasonOf(error));
        }
      },
    },
    t("Use a passkey"),
  );
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
    byPasskey,
    back,
  );
  node.addEventListener(
    "submit",
    busyForm(submit, alert, async () => {
      if (!allRight([[code, code.input.value.trim() === "" && t("Enter the code.")]])) return;
      await send(code.input.value);
    }),
  );

  async function send(/** @type {string | import("./passkeys.js").ShownPasskey} */ shown) {
    try {
      await finish(shown, trust.input.checked);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 401) throw error;
      // Without tries left, or after five minutes, the log-in begins again.
      if (!/tries left/.test(error.message)) return onEnd(t("This log-in has expired. Log in again."));
      code.input.select();
      throw new Error(
        typeof shown === "string"
          ? t("This code is wrong or was used already.")
          : t("This passkey is not accepted."),
      );
    }
  }

  return {
    node,
    open(/** @type {string[]} */ methods) {
      node.hidden = false;
      byPasskey.hidden = !methods.includes("passkey") || !hasPasskeys();
      code.input.value = "";
      setText(alert, "");
      code.input.focus();
    },
    close() {
      node.hidden = true;
    },
  };
}
