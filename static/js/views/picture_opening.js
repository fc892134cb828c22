/**
 * What a press on a picture of a message opens: that picture, large, with those around it.
 */

import { openLightbox } from "./windows.js";

/** @typedef {import("../types.js").Conversation} Conversation */
/** @typedef {import("../types.js").Message} Message */
/** @typedef {import("./lightbox.js").Shown} Shown */

/** The pictures of messages, in their order. @returns {Shown[]} */
export const picturesOf = (/** @type {readonly Message[]} */ messages) =>
  messages.flatMap(({ id, name, created_at: at, attachments }) =>
    (attachments ?? []).flatMap(({ type, url }) => (type === "image" && url ? [{ url, id, name, at }] : [])),
  );

/**
 * The pictures before one, oldest first, from the gallery of the conversation.
 * @returns {(before: Shown) => Promise<Shown[]>}
 */
export const olderIn = (/** @type {import("../app.js").App} */ app, /** @type {string} */ conv) => (before) =>
  app.gallery(conv, "image", placeOf(before.id)).then((found) => picturesOf([...found].reverse()));

/** Where a message stands in the gallery: its second, and its place in that second. */
export function placeOf(/** @type {string} */ id) {
  const second = new Date(Number(id.slice(0, -8)) * 1000).toISOString().slice(0, -5);
  return `${second}.${id.slice(-8)}Z`;
}

/** Opens pictures of a conversation large; with a key held, the browser does what it does with links. */
export function watchPictures(
  /** @type {HTMLElement} */ node,
  /** @type {import("../app.js").App} */ app,
  /** @type {() => Conversation | null} */ shown,
) {
  node.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a.picture") : null;
    const row = link?.closest("li");
    const conversation = shown();
    if (!link || !row || !conversation || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const nth = [...row.querySelectorAll("a.picture")].indexOf(link);
    const pictures = picturesOf(conversation.messages);
    const first = pictures.findIndex(({ id }) => id === row.dataset.key);
    // What is not sent yet stands in no gallery.
    if (first < 0) return;
    event.preventDefault();
    const { conv } = conversation;
    openLightbox({ conv, pictures, start: first + nth, older: olderIn(app, conv) });
  });
}
