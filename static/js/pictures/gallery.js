/**
 * The page of the panel with what was sent in a conversation: its pictures, videos, files and links, newest first, each with a link to its
 * message.
 */

import { messageHref } from "../app/route.js";
import { fileCard } from "../files/file_card.js";
import { GALLERY_PAGE } from "../search/search_calls.js";
import { splitLinks } from "../text/links.js";
import { reasonOf } from "../text/reason.js";
import { isoTime, shortTime } from "../text/time.js";
import { fillWith, h, setText } from "../ui/dom.js";
import { t } from "../words/words.js";
import { openLightbox } from "./lightbox.js";
import { olderIn, picturesOf, placeOf } from "./picture_opening.js";
import { formOf } from "./pictures.js";

/** @typedef {import("../sync/types.js").Message} Message */
/** @typedef {import("../search/search_calls.js").GalleryKind} GalleryKind */

/** @type {{ kind: GalleryKind, label: string, nothing: string }[]} */
const KINDS = [
  { kind: "image", label: t("Pictures"), nothing: t("No pictures yet.") },
  { kind: "video", label: t("Videos"), nothing: t("No videos yet.") },
  { kind: "file", label: t("Files"), nothing: t("No files yet.") },
  { kind: "link", label: t("Links"), nothing: t("No links yet.") },
];

/** @returns {import("../details/details.js").Page} */
export function galleryPage(
  /** @type {import("../app/app.js").App} */ app,
  /** @type {import("../sync/types.js").Conversation} */ { conv },
) {
  let kind = KINDS[0].kind;
  /** @type {Message[]} */
  let found = [];
  /** The number of the latest request; the results of earlier ones are dropped. */
  let asked = 0;

  const status = h("p", { class: "quiet", role: "status" });
  const list = h("ul", {});
  const more = h("button", { class: "button", type: "button", hidden: true, onclick: look });
  function choices() {
    const one = ({ kind: value, label } = KINDS[0]) => {
      const onchange = () => {
        kind = value;
        found = [];
        fillWith(list);
        look();
      };
      const input = h("input", { type: "radio", name: "gallery", value, checked: value === kind, onchange });
      return h("label", { class: "segment" }, input, h("span", {}, label));
    };
    const words = h("legend", { class: "hidden" }, t("Filter the gallery"));
    return h(
      "fieldset",
      { class: "segments" },
      words,
      h("div", { class: "segments-row" }, ...KINDS.map(one)),
    );
  }

  async function look() {
    asked += 1;
    const mine = asked;
    const last = found.at(-1);
    setText(status, found.length === 0 ? t("Searching messages…") : "");
    more.hidden = true;
    try {
      const page = await app.gallery(conv, kind, last && placeOf(last.id));
      if (mine !== asked) return;
      found = [...found, ...page];
      setText(status, found.length === 0 ? (KINDS.find((one) => one.kind === kind)?.nothing ?? "") : "");
      list.className = kind === "image" ? "gallery-pictures" : "gallery-rows";
      list.append(...page.flatMap(kind === "image" ? tiles : rows));
      setText(more, t("Show more"));
      more.hidden = page.length < GALLERY_PAGE;
    } catch (error) {
      if (mine !== asked) return;
      setText(status, reasonOf(error));
      setText(more, t("Try again"));
      more.hidden = false;
    }
  }

  const tiles = (/** @type {Message} */ message) =>
    picturesOf([message]).map((picture) => {
      const open = () => {
        const pictures = picturesOf([...found].reverse());
        const start = pictures.findIndex(({ id, url }) => id === picture.id && url === picture.url);
        openLightbox({ conv, pictures, start, older: olderIn(app, conv) });
      };
      const alt = t("Picture from {name}", { name: picture.name });
      const image = h("img", { src: formOf(picture.url, "preview"), alt, loading: "lazy" });
      return h("li", {}, h("button", { class: "gallery-picture", type: "button", onclick: open }, image));
    });

  const openFile = (/** @type {string} */ file) =>
    app.fileLink(conv, file).catch((error) => {
      setText(status, error.message);
      return null;
    });

  /** Returns the links or files of a message that belong to the chosen kind. @returns {Node[]} */
  function parts(/** @type {Message} */ { text, attachments }) {
    if (kind === "link")
      return splitLinks(text ?? "").flatMap(({ href }) =>
        href
          ? [h("a", { class: "gallery-link", href, rel: "noopener noreferrer", target: "_blank" }, href)]
          : [],
      );
    const isMeant = (/** @type {import("../sync/types.js").Attachment} */ { type, mime_type: mime }) =>
      type === "file" && (kind === "file" || String(mime).startsWith("video/"));
    return (attachments ?? []).filter(isMeant).map((file) => fileCard(file, openFile, () => ({})));
  }

  const rows = (/** @type {Message} */ message) => {
    const { id, name, created_at: at } = message;
    const about = h(
      "p",
      { class: "quiet" },
      h("bdi", {}, name),
      ", ",
      h("time", { datetime: isoTime(at) }, shortTime(at, Date.now() / 1000)),
      " · ",
      h("a", { href: messageHref(conv, id) }, t("Show in conversation")),
    );
    return h("li", { class: "gallery-row" }, ...parts(message), about);
  };

  look();
  return {
    title: t("Gallery"),
    nodes: [h("div", { class: "panel-page" }, choices(), status, list, more)],
  };
}
