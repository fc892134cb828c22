/** Opens the lightbox when a picture of a message is clicked, with the pictures before and after it. */

import { openLightbox } from "../app/windows.js";

/** @typedef {import("../sync/types.js").Conversation} Conversation */
/** @typedef {import("../sync/types.js").Message} Message */
/** @typedef {import("./lightbox.js").Shown} Shown */

/** Returns the pictures of messages, in their order. @returns {Shown[]} */
export const picturesOf = (/** @type {readonly Message[]} */ messages) =>
  messages.flatMap(({ id, name, text, created_at: at, attachments }) =>
    (attachments ?? []).flatMap(({ type, url }) =>
      type === "image" && url ? [{ url, id, name, text: text ?? "", at }] : [],
    ),
  );

/**
 * Returns a function that loads the pictures before a given one, oldest first, from the conversation's
 * gallery.
 * @returns {(before: Shown) => Promise<Shown[]>}
 */
export const olderIn =
  (/** @type {import("../app/app.js").App} */ app, /** @type {string} */ conv) => (before) =>
    app.gallery(conv, "image", placeOf(before.id)).then((found) => picturesOf([...found].reverse()));

/**
 * Returns a message's position in the gallery: the second of its id as a UTC time, with the rest of the id as
 * fraction.
 */
export function placeOf(/** @type {string} */ id) {
  const second = new Date(Number(id.slice(0, -8)) * 1000).toISOString().slice(0, -5);
  return `${second}.${id.slice(-8)}Z`;
}

/** Opens clicked pictures in the lightbox; with a modifier key held, the browser opens the link as usual. */
export function watchPictures(
  /** @type {HTMLElement} */ node,
  /** @type {import("../app/app.js").App} */ app,
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
    // A message that is not sent yet is not in the gallery.
    if (first < 0) return;
    event.preventDefault();
    const { conv } = conversation;
    openLightbox({ conv, pictures, start: first + nth, older: olderIn(app, conv) });
  });
}
