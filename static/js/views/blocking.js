/**
 * Keeping somebody away and letting them back: what that does, in words, and asking first.
 */

import { t } from "../words.js";
import { confirm } from "./confirm.js";

/** @typedef {import("../types.js").Person} Person */

export const blockedWords = (/** @type {string} */ name) =>
  t("You blocked {name}. Neither of you can write to the other here.", { name });

/** Asks, and then blocks. */
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

/** Ends the block at once: it can be set again at any time. */
export async function endBlock(
  /** @type {import("../app.js").App} */ app,
  /** @type {Person} */ { id, name },
) {
  try {
    await app.people.unblock(id);
  } catch (error) {
    app.complain(
      t("{name} is still blocked. {it}", {
        name,
        it: error instanceof Error ? error.message : String(error),
      }),
    );
  }
}
