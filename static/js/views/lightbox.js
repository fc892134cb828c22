/**
 * A picture as large as the window, with the way to the one before and the one after: by buttons, arrow keys
 * or swiping.
 *
 * Owns which picture is shown. The caller gives the pictures; older ones are loaded when the user comes near
 * the oldest.
 */

import { fillWith, h, setText } from "../dom.js";
import { icon } from "../icons.js";
import { formOf, opened, sizeOf } from "../pictures.js";
import { messageHref } from "../route.js";
import { fullTime, isoTime } from "../time.js";
import { t } from "../words.js";
import { openWindow } from "./window.js";

/**
 * @typedef {object} Shown a picture in its message
 * @property {string} url
 * @property {string} id the message's id
 * @property {string} name the sender's name
 * @property {number} at when the message was sent, in seconds since 1970
 */

/** How far a finger has to move sideways for a swipe, in CSS pixels. */
const WIPE_PX = 48;
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
    { class: "button-icon", target: "_blank", rel: "noopener", ...named(t("Open the original picture")) },
    icon("picture"),
  );
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
      whole,
      closer,
    ),
    h(
      "div",
      { class: "lightbox-stage" },
      before,
      h("div", { class: "lightbox-frame" }, image, trouble),
      after,
    ),
    said,
  );

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
    const { url, name, at } = shown;
    const size = sizeOf(url);
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
  wiped(dialog, (by) => go(place + by));
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

const named = (/** @type {string} */ label) => ({ "aria-label": label, title: label });

/** Disables a button, which keeps the focus for a keyboard user who comes to the end. */
function off(/** @type {HTMLElement} */ button, /** @type {boolean} */ isOff) {
  button.setAttribute("aria-disabled", String(isOff));
}

/** Calls `tell` after a swipe: with 1 for the next picture, -1 for the one before. */
function wiped(/** @type {HTMLElement} */ node, /** @type {(by: number) => void} */ tell) {
  /** @type {{ x: number, y: number, id: number } | null} */
  let from = null;
  node.addEventListener("pointerdown", ({ pointerType, isPrimary, clientX, clientY, pointerId }) => {
    from =
      pointerType !== "mouse" && isPrimary && (visualViewport?.scale ?? 1) === 1
        ? { x: clientX, y: clientY, id: pointerId }
        : null;
  });
  node.addEventListener("pointerup", ({ clientX, clientY, pointerId }) => {
    if (from?.id !== pointerId) return;
    const [x, y] = [clientX - from.x, clientY - from.y];
    from = null;
    if (Math.abs(x) < WIPE_PX || Math.abs(x) < 2 * Math.abs(y)) return;
    const turn = getComputedStyle(node).direction === "rtl" ? -1 : 1;
    tell((x < 0 ? 1 : -1) * turn);
  });
}
