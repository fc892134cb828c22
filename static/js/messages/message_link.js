/** The window that shows the address of a message, to be copied. */

import { messageHref } from "../app/route.js";
import { copyable } from "../ui/copy.js";
import { openDialog } from "../ui/dialog.js";
import { h } from "../ui/dom.js";
import { t } from "../words/words.js";

export function openMessageLink(/** @type {string} */ conv, /** @type {string} */ id) {
  const text = `${location.origin}/${messageHref(conv, id)}`;
  openDialog({
    title: t("Link to this message"),
    content: () => [
      h(
        "div",
        { class: "dialog-form" },
        h("p", { class: "quiet" }, t("Only people who can read this conversation can open it.")),
        copyable({ label: t("link"), text }),
      ),
    ],
  });
}
