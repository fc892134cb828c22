/** What a block means, in words, and how it is ended. */

import { reasonOf } from "../text/reason.js";
import { t } from "../words/words.js";

/** @typedef {import("../sync/types.js").Person} Person */

export const blockedWords = (/** @type {string} */ name) =>
  t("You blocked {name}. You cannot send each other messages here.", { name });

/** Ends the block without asking, since it can be set again at any time. */
export async function endBlock(
  /** @type {import("../app/app.js").App} */ app,
  /** @type {Person} */ { id, name },
) {
  try {
    await app.people.unblock(id);
  } catch (error) {
    app.complain(
      t("{name} is still blocked. {it}", {
        name,
        it: reasonOf(error),
      }),
    );
  }
}
