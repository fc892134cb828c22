/**
 * The page to which a provider leads back: it ends the log-in. Where an account with the same address exists,
 * it asks for its password once, to link the two.
 */

import { homeHref } from "../app/route.js";
import { createCodeStep } from "../security/code_step.js";
import { namedCode } from "../security/factor_calls.js";
import { ApiError } from "../sync/api.js";
import { h, setText } from "../ui/dom.js";
import { allRight, busyForm, codeField, passwordField } from "../ui/field.js";
import { pages } from "../ui/window.js";
import { t } from "../words/words.js";

/** @typedef {import("../app/app.js").App} App */

/** @returns {import("./link_page.js").Page} */
export function providerPage(/** @type {App} */ app, /** @type {string} */ arrival) {
  const status = h("p", { class: "quiet", role: "status" }, t("Logging in…"));
  const trouble = h("p", { class: "alert", role: "alert" });
  const password = passwordField();
  const code = codeField(t("The six digits of your authenticator app, or a recovery code."));
  code.node.hidden = true;
  const alert = h("p", { class: "alert", role: "alert" });
  const submit = h(
    "button",
    { class: "button button-primary button-wide", type: "submit" },
    t("Link and log in"),
  );
  const form = h(
    "form",
    { class: "sign-in-form", novalidate: true, hidden: true },
    password.node,
    code.node,
    alert,
    submit,
  );
  form.addEventListener("submit", busyForm(submit, alert, link));
  const back = h("p", { class: "sign-in-other" }, h("a", { href: homeHref }, t("Back to log in")));
  let verification = "";
  const step = createCodeStep({
    passkey: app.passkeys.show,
    async finish(shown, trust) {
      await app.verify(verification, shown, trust);
      pages.replace(homeHref);
    },
    onEnd(why) {
      step.close();
      setText(trouble, why);
      back.hidden = false;
    },
  });

  /** Shows what the log-in waits for; goes on where it waits for nothing. */
  function follow(/** @type {import("../security/identity_calls.js").Waiting | null} */ waiting) {
    if (!waiting) return pages.replace(homeHref);
    if ("verification" in waiting) {
      verification = waiting.verification.code;
      setText(status, "");
      form.hidden = back.hidden = true;
      step.open(waiting.verification.methods);
      return;
    }
    setText(
      status,
      t(
        "There is an account with the address {email} already. Enter its password once to log in to it with {provider}.",
        waiting.link,
      ),
    );
    form.hidden = false;
    password.input.focus();
  }

  async function link() {
    const fine = allRight([
      [password, password.input.value === "" && t("Enter your password.")],
      [code, !code.node.hidden && code.input.value.trim() === "" && t("Enter the code.")],
    ]);
    if (!fine) return;
    const more = code.node.hidden ? {} : namedCode(code.input.value);
    try {
      follow(await app.arrive({ code: arrival, password: password.input.value, ...more }));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.status === 401)
        throw new Error(code.node.hidden ? t("Wrong password.") : t("Wrong password or code."));
      if (error.needs !== "factor" || !code.node.hidden) throw error;
      code.node.hidden = false;
      code.input.focus();
    }
  }

  app.arrive({ code: arrival }).then(follow, (error) => {
    setText(status, "");
    const isOver = error instanceof ApiError && error.status === 401;
    setText(trouble, isOver ? t("This log-in has expired. Log in again.") : String(error.message));
  });
  return { title: t("Log in"), content: [status, trouble, form, step.node, back], focus: null };
}
