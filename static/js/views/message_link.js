/** The window that shows the address of a message, to be copied. */

import { h } from "../dom.js";
import { messageHref } from "../route.js";
import { t } from "../words/words.js";
import { copyable } from "./copy.js";
import { openDialog } from "./dialog.js";

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
