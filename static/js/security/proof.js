/**
 * The window in which somebody proves again who they are: with the password, with password and code, or with
 * a passkey.
 */

import { reasonOf } from "../text/reason.js";
import { openForm } from "../ui/dialog_form.js";
import { h, setText } from "../ui/dom.js";
import { allRight, codeField, passwordField } from "../ui/field.js";
import { t } from "../words/words.js";
import { namedCode } from "./factor_calls.js";
import { hasPasskeys } from "./passkeys.js";

/** @typedef {import("../app/app.js").App} App */

/**
 * A button that uses a passkey; shown once the account is known to have one that this browser can use.
 * @param {App} app
 * @param {(shown: import("./passkeys.js").ShownPasskey) => Promise<unknown>} act
 */
export function passkeyButton(app, act) {
  const alert = h("p", { class: "alert", role: "alert" });
  const button = h(
    "button",
    {
      class: "button",
      type: "button",
      async onclick() {
        setText(alert, "");
        try {
          await act(await app.passkeys.show());
        } catch (error) {
          setText(alert, reasonOf(error));
        }
      },
    },
    t("Use a passkey"),
  );
  const node = h("div", { hidden: true }, button, alert);
  if (hasPasskeys()) {
    app.passkeys.list().then(
      (list) => {
        node.hidden = list.length === 0;
      },
      () => {},
    );
  }
  return node;
}

/**
 * Asks for a proof, then acts. The act gets what the server wants in the body of a change of the factors.
 * @param {App} app
 * @param {{
 *   act: (proof: object, close: () => void) => Promise<unknown>,
 *   both?: boolean,
 *   title?: string,
 *   words?: string,
 *   label?: string,
 *   danger?: boolean,
 *   more?: Node[],
 * }} options `both`: the account has two factors, and the act needs both. The window closes once the act is done, or
 *   when the act closes it
 */
export function askForProof(app, { act, both = false, more = [], ...look }) {
  const password = passwordField();
  const code = codeField(t("The six digits of your authenticator app, or a recovery code."));
  /** @type {() => void} */
  let shut = () => {};
  const passkey = passkeyButton(app, async (shown) => {
    if (!both) await app.factors.prove({ passkey: shown });
    await act(both ? { passkey: shown } : {}, shut);
    shut();
  });
  const dialog = openForm({
    title: look.title ?? t("Confirm that it is you"),
    asks: [
      h("p", { class: "quiet" }, look.words ?? t("Please confirm that it is you.")),
      password.node,
      both && code.node,
      passkey,
      ...more,
    ],
    act: look.label ?? t("Continue"),
    danger: look.danger ?? false,
    async onSubmit(close) {
      const fine = allRight([
        [password, password.input.value === "" && t("Enter your password.")],
        [code, both && code.input.value.trim() === "" && t("Enter the code.")],
      ]);
      if (!fine) return;
      const typed = password.input.value;
      if (!both) await app.factors.prove({ password: typed });
      await act(both ? { password: typed, ...namedCode(code.input.value) } : {}, close);
      close();
    },
  });
  shut = () => dialog.close();
}
