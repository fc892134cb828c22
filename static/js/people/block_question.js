/** The question before somebody is blocked, which says what a block does. */

import { confirm } from "../ui/confirm.js";
import { t } from "../words/words.js";

/** @typedef {import("../sync/types.js").Person} Person */

/** Asks for confirmation, then blocks the person. */
export function askToBlock(
  /** @type {import("../app/app.js").App} */ app,
  /** @type {Person} */ { id, name },
) {
  confirm({
    title: t("Block {name}?", { name }),
    words: t(
      "{name} and you can no longer send each other direct messages. {name} cannot add you to groups or see when you are online. In groups that you share, you still see each other's messages. If {name} tries to write to you, they see that you blocked them.",
      { name },
    ),
    act: t("Block"),
    onSure: () => app.people.block(id),
  });
}
