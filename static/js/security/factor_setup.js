/**
 * The steps that set up one-time codes: a proof of who one is if the log-in is too old, the key with a first code, and
 * the recovery codes.
 *
 * Owns which step is shown. The form around it has the button and shows what failed.
 */

import { drawn } from "../invites/qr_code.js";
import { ApiError } from "../sync/api.js";
import { reasonOf } from "../text/reason.js";
import { copyable } from "../ui/copy.js";
import { fillWith, h } from "../ui/dom.js";
import { allRight, codeField, passwordField } from "../ui/field.js";
import { t } from "../words/words.js";
import { passkeyButton } from "./proof.js";

/**
 * @param {import("../app/app.js").App} app
 * @param {() => unknown} onOn called once log-ins need a code, while the recovery codes are shown
 */
export function createFactorSetup(app, onOn = () => {}) {
  const calls = app.factors;
  const node = h("div", { class: "dialog-form" });
  const password = passwordField();
  const code = codeField(t("The six digits that the app shows."));
  /** @type {"failed" | "password" | "code" | "codes"} */
  let step = "failed";

  async function makeKey(focuses = true) {
    try {
      const { secret, uri } = await calls.begin();
      step = "code";
      fillWith(
        node,
        h("p", { class: "quiet" }, t("Scan this with an authenticator app, or type the key into it.")),
        drawn(uri, t("QR code of the key")),
        copyable({ label: t("key"), text: secret }),
        code.node,
      );
      if (focuses) code.input.focus();
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 403) throw error;
      step = "password";
      const passkey = passkeyButton(app, async (shown) => {
        await calls.prove({ passkey: shown });
        await makeKey();
      });
      const words = h("p", { class: "quiet" }, t("Please confirm that it is you."));
      fillWith(node, words, password.node, passkey);
      if (focuses) password.input.focus();
    }
  }

  /** Shows the first step, or why there is none. `focuses`: whether its field takes the focus. */
  async function begin(focuses = true) {
    try {
      await makeKey(focuses);
    } catch (error) {
      step = "failed";
      const why = reasonOf(error);
      fillWith(node, h("p", { class: "alert", role: "alert" }, why));
    }
  }

  /** Sends what was typed, and shows the next step. Returns whether all of them are done. */
  async function next() {
    if (step === "codes") return true;
    if (step === "failed") {
      await begin();
    } else if (step === "password") {
      if (!allRight([[password, password.input.value === "" && t("Enter your password.")]])) return false;
      await calls.prove({ password: password.input.value });
      await makeKey();
    } else if (allRight([[code, code.input.value.trim() === "" && t("Enter the code.")]])) {
      const { recovery_codes: codes } = await calls.confirm(code.input.value);
      step = "codes";
      fillWith(node, ...recoveryCodes(codes));
      onOn();
    }
    return false;
  }

  return { node, begin, next };
}

/** New recovery codes, and how to keep them. */
export function recoveryCodes(/** @type {string[]} */ codes) {
  const text = codes.join("\n");
  const file = URL.createObjectURL(new Blob([`${text}\n`], { type: "text/plain" }));
  return [
    h(
      "p",
      {},
      t("Keep these recovery codes. Each works once in place of a one-time code. They are not shown again."),
    ),
    copyable({ label: t("recovery codes"), text, isLong: true }),
    h("a", { class: "button", href: file, download: "coterie-recovery-codes.txt" }, t("Download")),
  ];
}
