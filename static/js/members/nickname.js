/** The window in which the user changes their name in a group. */

import { memberOf } from "../groups/groups.js";
import { countChars } from "../text/text.js";
import { openForm } from "../ui/dialog_form.js";
import { allRight, field } from "../ui/field.js";
import { t } from "../words/words.js";

/** The greatest length of a nickname, in characters. */
const MOST = 255;

export function openNickname(
  /** @type {import("../app/app.js").App} */ app,
  /** @type {import("../sync/types.js").Group} */ group,
) {
  const me = app.state.get().snapshot?.user.id ?? "";
  const nickname = field({
    label: t("Your name in this group"),
    name: "nickname",
    autocomplete: "off",
    value: memberOf(group, me)?.nickname ?? "",
  });
  openForm({
    title: t("Your name here"),
    asks: [nickname.node],
    act: t("Save"),
    async onSubmit(close) {
      const name = nickname.input.value.trim();
      if (!allRight([[nickname, nicknameProblem(name)]])) return;
      await app.groups.rename(group.id, name);
      close();
    },
  });
}

function nicknameProblem(/** @type {string} */ name) {
  if (name === "") return t("Enter your name.");
  return countChars(name) > MOST && t("At most {MOST} characters.", { MOST });
}
