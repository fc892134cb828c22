/** The lines below the profile that say which address is not confirmed yet, and that request the mail again. */

import { h, setText } from "../ui/dom.js";
import { busyForm } from "../ui/field.js";
import { t } from "../words/words.js";

export function createConfirmation(/** @type {import("../app/app.js").App} */ app) {
  const words = h("p", { class: "quiet", role: "status" });
  const alert = h("p", { class: "alert", role: "alert" });
  const submit = h("button", { class: "button", type: "submit" }, t("Send the mail again"));
  const node = h(
    "form",
    { class: "account-form", novalidate: true, hidden: true },
    words,
    alert,
    h("div", {}, submit),
  );
  node.addEventListener(
    "submit",
    busyForm(submit, alert, async () => {
      await app.recovery.requestConfirmation();
      setText(words, t("A mail with a link is on its way."));
    }),
  );

  return {
    node,
    /** Shows what is known of my addresses now. */
    async load() {
      setText(alert, "");
      try {
        const { email, email_verified, entered_email } = await app.smsMode.look();
        node.hidden = email_verified !== false && !entered_email;
        const address = entered_email ?? email ?? "";
        setText(
          words,
          entered_email
            ? t("{address} becomes your address once you open the link in the mail to it.", { address })
            : t("{address} is not confirmed yet. Open the link in the mail to it.", { address }),
        );
      } catch {
        // The rest of the page says that the server cannot be reached.
        node.hidden = true;
      }
    },
  };
}
