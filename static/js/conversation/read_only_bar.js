/**
 * The bar that replaces the composer in a group that its owner archived, or that the operators froze: why nobody
 * writes there, and who can change that.
 */

import { isOwner } from "../groups/groups.js";
import { may } from "../groups/permissions.js";
import { isArchived, isReadOnly } from "../groups/standstill.js";
import { reasonOf } from "../text/reason.js";
import { homeId } from "../topics/topics.js";
import { h, setText } from "../ui/dom.js";
import { t } from "../words/words.js";

/** @typedef {import("../sync/types.js").Group} Group */

export function createReadOnlyBar(/** @type {import("../app/app.js").App} */ app) {
  /** @type {Group | null} */
  let shown = null;
  const words = h("p", { role: "status", dir: "auto" });
  const button = h(
    "button",
    { class: "button", type: "button", onclick: () => shown && endArchive(app, shown) },
    t("Take out of the archive"),
  );
  const node = h("div", { class: "blocked-bar", hidden: true }, words, button);

  return {
    node,
    button,
    /** Shows the bar for a group that is archived or frozen; hides it for others. Returns whether it is shown. */
    show(/** @type {Group | undefined} */ group, /** @type {string} */ me) {
      shown = group && isReadOnly(group) ? group : null;
      node.hidden = shown === null;
      if (!shown) return false;
      setText(words, why(shown, me));
      button.hidden = !isArchived(shown) || !may(shown, me, "archive");
      return true;
    },
  };
}

function why(/** @type {Group} */ group, /** @type {string} */ me) {
  const { frozen } = group;
  if (frozen)
    return t("The operators of this server have frozen this group: {reason}", { reason: frozen.reason });
  return isOwner(group, me)
    ? t("You have archived this group. Everybody can read it, and nobody can write.")
    : t(
        "The owner has archived this group. You can read it, but not write. The owner can take it out of the archive.",
      );
}

/** Takes a group, or that of a topic, out of the archive, and says if that fails. */
export async function endArchive(
  /** @type {import("../app/app.js").App} */ app,
  /** @type {Pick<Group, "id" | "parent">} */ group,
) {
  try {
    await app.groups.archive(homeId(group), false);
  } catch (error) {
    app.complain(t("Nothing was changed. {it}", { it: reasonOf(error) }));
  }
}
