/**
 * A window as large as the page in which the browser's own viewer shows a PDF. The server sends files with a policy
 * that gives them an origin of their own, without scripts.
 */

import { h } from "../ui/dom.js";
import { icon } from "../ui/icons.js";
import { openWindow } from "../ui/window.js";
import { t } from "../words/words.js";

/** Opens a file at its first page. */
export async function openPdf(
  /** @type {{ name: string, link: () => Promise<string | null>, download: () => unknown }} */ {
    name,
    link,
    download,
  },
) {
  const href = await link();
  if (!href) return;
  const button = (
    /** @type {string} */ words,
    /** @type {import("../ui/icons.js").IconName} */ sign,
    /** @type {() => void} */ onclick,
  ) =>
    h(
      "button",
      { class: "button-icon", type: "button", "aria-label": words, title: words, onclick },
      icon(sign),
    );
  const dialog = h(
    "dialog",
    { class: "lightbox", "aria-label": name },
    h(
      "header",
      { class: "lightbox-head" },
      h("p", { class: "lightbox-about" }, h("span", { class: "lightbox-who", dir: "auto" }, name)),
      button(t("Download {name}", { name }), "save", download),
      button(t("Close"), "close", () => dialog.close()),
    ),
    h("iframe", { class: "pdf-pages", title: name, src: `${href}#page=1&view=Fit&navpanes=0` }),
  );
  openWindow(dialog);
}
