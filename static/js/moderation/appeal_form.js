/** The window in which a member who is timed out appeals to the owner and admins. */

import { countChars } from "../text/text.js";
import { openForm } from "../ui/dialog_form.js";
import { allRight, lines } from "../ui/field.js";
import { t } from "../words/words.js";

/** The greatest length of an appeal, in characters. */
const MOST = 1000;

export function openAppeal(/** @type {import("../app/app.js").App} */ app, /** @type {string} */ group) {
  const text = lines({
    label: t("Why should the timeout end?"),
    name: "text",
    hint: t("You can appeal once. The owner and admins read it."),
  });
  openForm({
    title: t("Appeal"),
    asks: [text.node],
    act: t("Send"),
    async onSubmit(close) {
      const words = text.input.value.trim();
      const problem =
        (words === "" && t("Write something.")) ||
        (countChars(words) > MOST && t("At most {MOST} characters.", { MOST }));
      if (!allRight([[text, problem]])) return;
      await app.groups.appeal(group, words);
      close();
      app.tell(t("Sent to the owner and admins."));
    },
  });
}
