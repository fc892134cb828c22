/** The bar that replaces the composer in a conversation with somebody whom the user has blocked. */

import { h, setText } from "../ui/dom.js";
import { t } from "../words/words.js";
import { blockedWords, endBlock } from "./blocking.js";

export function createBlockedBar(/** @type {import("../app/app.js").App} */ app) {
  /** @type {import("../sync/types.js").Person | null} */
  let person = null;
  const words = h("p", {});
  const button = h(
    "button",
    { class: "button", type: "button", onclick: () => person && endBlock(app, person) },
    t("Unblock"),
  );
  const node = h("div", { class: "blocked-bar" }, words, button);

  return {
    node,
    button,
    /** Shows the bar for a blocked person; null hides it. */
    show(/** @type {import("../sync/types.js").Person | null} */ blocked) {
      person = blocked;
      node.hidden = !blocked;
      if (blocked) setText(words, blockedWords(blocked.name));
    },
  };
}
