/** The question before somebody is blocked, which says what a block does. */

import { t } from "../words.js";
import { confirm } from "./confirm.js";

/** @typedef {import("../types.js").Person} Person */

/** Asks for confirmation, then blocks the person. */
export function askToBlock(/** @type {import("../app.js").App} */ app, /** @type {Person} */ { id, name }) {
  confirm({
    title: t("Block {name}?", { name }),
    words: t(
      "{name} can no longer write to you directly, and you cannot write to {name}. They cannot add you to groups either, nor see when you are online. You still read each other in groups you share. If they try to write, they are told.",
      { name },
    ),
    act: t("Block"),
    onSure: () => app.people.block(id),
  });
}
