/**
 * A picture as large as the window with the words of its message, and the way to the one before and the one after:
 * by buttons, arrow keys or swiping. `picture_zoom.js` enlarges it.
 *
 * Owns which picture is shown. The caller gives the pictures; older ones are loaded when the user comes near
 * the oldest.
 */

import { messageHref } from "../app/route.js";
import { fullTime, isoTime } from "../text/time.js";
import { fillWith, h, setText } from "../ui/dom.js";
import { icon } from "../ui/icons.js";
import { openWindow } from "../ui/window.js";
import { t } from "../words/words.js";
import { createPictureZoom } from "./picture_zoom.js";
import { formOf, opened, sizeOf } from "./pictures.js";
import { SCALE_MOST } from "./zoom.js";

/**
 * @typedef {object} Shown a picture in its message
 * @property {string} url
 * @property {string} id the message's id
 * @property {string} name the sender's name
 * @property {string} text the words of the message
 * @property {number} at when the message was sent, in seconds since 1970
 */

/** Older pictures are loaded when fewer than this many come before the shown one. */
const NEAR = 2;

/**
 * @param {object} options
 * @param {string} options.conv
 * @param {Shown[]} options.pictures oldest first
 * @param {number} options.start the index of the picture shown first
 * @param {(before: Shown) => Promise<Shown[]>} options.older loads the pictures before this one; none at the end
 * @param {() => void} [options.onLeave] called when the user goes to the message, so that windows below close too
 */
export function openLightbox({ conv, pictures, start, older, onLeave = () => {} }) {
  let all = pictures;
  let place = start;
  /** There are no older pictures, or loading them failed. */
  let isWhole = false;
  let isLooking = false;

  const image = h("img", { class: "lightbox-picture", draggable: "false" });
  const trouble = h("p", { class: "lightbox-trouble", role: "alert" });
  const who = h("span", { class: "lightbox-who", dir: "auto" });
  const when = h("time", {});
  const said = h("p", { class: "hidden", role: "status" });
  const whole = h(
    "a",
    {
      class: "button-icon lightbox-whole",
      target: "_blank",
      rel: "noopener",
      ...named(t("Open the original picture")),
    },
    icon("original"),
  );
  const keep = h("a", { class: "button-icon", ...named(t("Download the picture")) }, icon("save"));
  const there = h(
    "a",
    { class: "button-icon", ...named(t("Show in conversation")), onclick: leave },
    icon("message"),
  );
  const closer = h(
    "button",
    { class: "button-icon", type: "button", ...named(t("Close")), onclick: () => dialog.close() },
    icon("close"),
  );
  const caption = h("p", { class: "lightbox-caption", dir: "auto", tabindex: "0" });
  const frame = h("div", { class: "lightbox-frame" }, image, trouble);
  const zoom = createPictureZoom({
    frame,
    image,
    onSwipe: (by) => go(place + by),
    onChange: (scale) => {
      off(larger, scale >= SCALE_MOST);
      off(smaller, scale === 1);
    },
  });
  const larger = button(t("Zoom in"), "enlarge", zoom.enlarge);
  const smaller = button(t("Zoom out"), "reduce", zoom.reduce);
  const before = step(t("Previous picture"), -1);
  const after = step(t("Next picture"), 1);
  const dialog = h(
    "dialog",
    { class: "lightbox", "aria-label": t("Pictures"), onkeydown: pressed },
    h(
      "header",
      { class: "lightbox-head" },
      h("p", { class: "lightbox-about" }, who, when),
      there,
      smaller,
      larger,
      keep,
      whole,
      closer,
    ),
    h("div", { class: "lightbox-stage" }, before, frame, after),
    caption,
    said,
  );

  function button(
    /** @type {string} */ label,
    /** @type {import("../ui/icons.js").IconName} */ sign,
    /** @type {() => void} */ onclick,
  ) {
    return h("button", { class: "button-icon", type: "button", ...named(label), onclick }, icon(sign));
  }

  function step(/** @type {string} */ label, /** @type {number} */ by) {
    const look = by < 0 ? "lightbox-step lightbox-before" : "lightbox-step lightbox-after";
    const onclick = () => go(place + by);
    return h("button", { class: look, type: "button", ...named(label), onclick }, icon("back"));
  }

  function leave() {
    dialog.close();
    onLeave();
  }

  function go(/** @type {number} */ to) {
    if (to < 0 || to >= all.length) return;
    place = to;
    show();
  }

  function pressed(/** @type {KeyboardEvent} */ event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const zooms = { "+": zoom.enlarge, "=": zoom.enlarge, "-": zoom.reduce, 0: zoom.reset }[event.key];
    if (zooms) {
      event.preventDefault();
      zooms();
      return;
    }
    const turn = getComputedStyle(dialog).direction === "rtl" ? -1 : 1;
    /** @type {Record<string, number | undefined>} */
    const goals = {
      ArrowLeft: place - turn,
      ArrowRight: place + turn,
      Home: 0,
      End: all.length - 1,
    };
    const goal = goals[event.key];
    if (goal === undefined) return;
    event.preventDefault();
    go(goal);
  }

  function show() {
    const shown = all[place];
    const { url, name, at, text } = shown;
    const size = sizeOf(url);
    zoom.reset();
    setText(caption, text);
    caption.hidden = text === "";
    keep.href = url;
    keep.download = `${t("Picture from {name}", { name })}.${endOf(url)}`;
    setText(trouble, "");
    image.hidden = false;
    image.alt = t("Picture from {name}", { name });
    image.src = opened(url);
    if (size) {
      image.width = size.width;
      image.height = size.height;
      // The preview that the conversation has loaded already is visible until the large picture has loaded.
      image.style.backgroundImage = `url("${formOf(url, "preview")}")`;
    } else {
      image.removeAttribute("width");
      image.removeAttribute("height");
      image.style.backgroundImage = "";
    }
    setText(who, name);
    fillWith(when, fullTime(at));
    when.dateTime = isoTime(at);
    setText(said, `${t("Picture from {name}", { name })}, ${fullTime(at)}`);
    whole.href = url;
    there.href = messageHref(conv, shown.id);
    off(before, place === 0);
    off(after, place === all.length - 1);
    for (const near of [all[place - 1], all[place + 1]]) if (near) new Image().src = opened(near.url);
    lookBack();
  }

  async function lookBack() {
    if (place >= NEAR || isWhole || isLooking) return;
    isLooking = true;
    const more = await older(all[0]).catch(() => []);
    isLooking = false;
    isWhole = more.length === 0;
    if (isWhole) return;
    all = [...more, ...all];
    place += more.length;
    off(before, place === 0);
  }

  image.addEventListener("load", () => {
    image.style.backgroundImage = "";
    image.hidden = false;
    setText(trouble, "");
  });
  image.addEventListener("error", () => {
    image.hidden = true;
    setText(trouble, t("This picture cannot be shown."));
  });
  dialog.addEventListener("click", ({ target }) => {
    // A click beside the picture closes the window.
    if (target instanceof Element && target.matches(".lightbox, .lightbox-stage, .lightbox-frame"))
      dialog.close();
  });
  openWindow(dialog);
  closer.focus();
  show();
  return dialog;
}

/** The end of the name of a picture's file. */
const endOf = (/** @type {string} */ url) => /\.(jpeg|png|gif)\./.exec(url)?.[1] ?? "jpeg";

const named = (/** @type {string} */ label) => ({ "aria-label": label, title: label });

/** Disables a button, which keeps the focus for a keyboard user who comes to the end. */
function off(/** @type {HTMLElement} */ button, /** @type {boolean} */ isOff) {
  button.setAttribute("aria-disabled", String(isOff));
}
