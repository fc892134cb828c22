/**
 * The window with the address of one message, to be copied.
 */

import { h } from "../dom.js";
import { messageHref } from "../route.js";
import { copyable } from "./copy.js";
import { openDialog } from "./dialog.js";

export function openMessageLink(/** @type {string} */ conv, /** @type {string} */ id) {
  const text = `${location.origin}/${messageHref(conv, id)}`;
  openDialog({
    title: "Link to this message",
    content: () => [
      h(
        "div",
        { class: "dialog-form" },
        h("p", { class: "quiet" }, "It opens for those who can read this conversation."),
        copyable({ label: "link", text }),
      ),
    ],
  });
}
