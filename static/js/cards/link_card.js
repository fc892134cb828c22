/**
 * The preview of a page to which a message links: its title, description and picture. The whole card is a
 * link to the page.
 */

import { control } from "../messages/message_controls.js";
import { formOf } from "../pictures/pictures.js";
import { h } from "../ui/dom.js";

export function linkCard(/** @type {import("../sync/types.js").LinkPreview} */ preview) {
  const { url, title, description, image_url: picture } = preview;
  return h(
    "a",
    {
      class: "link-card",
      href: url,
      rel: "noopener noreferrer",
      target: "_blank",
      dir: "auto",
      ...control(`link-${url}`),
    },
    picture && h("img", { src: formOf(picture, "preview"), alt: "", loading: "lazy", width: 64, height: 64 }),
    h(
      "span",
      { class: "link-about" },
      h("span", { class: "link-title" }, title),
      description && h("span", { class: "link-description" }, description),
      h("span", { class: "link-place" }, placeOf(url)),
    ),
  );
}

/** Returns the page's host, without "www.". */
function placeOf(/** @type {string} */ url) {
  return URL.canParse(url) ? new URL(url).host.replace(/^www\./, "") : url;
}
