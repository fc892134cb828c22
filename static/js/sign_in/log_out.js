/** Logs out; asks first if something that the user wrote has not been sent. */

import { confirm } from "../ui/confirm.js";
import { t } from "../words/words.js";

export function logOut(/** @type {import("../app/app.js").App} */ app) {
  if (!app.hasUnsent()) {
    app.logout();
    return;
  }
  confirm({
    title: t("Log out with unsent messages?"),
    words: t("You have unsent messages. They stay in this browser until you log in with this account again."),
    act: t("Log out"),
    danger: false,
    onSure: async () => void app.logout(),
  });
}
