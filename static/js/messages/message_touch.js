/**
 * What fingers do with messages: a long press opens the menu of a message, two taps give it a heart, and a swipe
 * replies to it.
 *
 * Owns the gesture that is under way, and how far its message has moved.
 */

import { h } from "../ui/dom.js";
import { icon } from "../ui/icons.js";
import { HOLD_MS, REST_PX } from "../ui/long_press.js";

/** @typedef {import("../timeline/timeline_rows.js").MessageRow} MessageRow */

/** The time between two taps, in milliseconds. */
const TWICE_MS = 300;
/** How far a finger moves for a reply, and at most, in pixels. */
const REPLY_PX = 56;
const MOST_PX = 72;

/** What is scrolled, dragged or pressed on its own. */
const MOVES_ITSELF = "input, textarea, pre, audio, video";
const ACTS_ITSELF = "a, button, input, time, summary, audio, video";
/**
 * Returns the function that handles the pointer events of fingers.
 * @param {HTMLElement} lines
 * @param {import("./message_gestures.js").GestureActs} acts
 */
export function createTouch(lines, { rowOf, open, answer, like }) {
  /** @type {{ row: MessageRow, line: HTMLElement, x: number, y: number, at: number, isHeld: boolean } | null} */
  let press = null;
  /** How far the message was swiped, and the sign beside it. @type {{ by: number, sign: Element } | null} */
  let swipe = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let tapped = { key: "", at: 0 };

  /** @returns {HTMLElement | null} */
  const lineAt = (/** @type {EventTarget | null} */ target) =>
    target instanceof Element ? target.closest("li.line") : null;

  function down(/** @type {PointerEvent} */ event) {
    letGo();
    const line = lineAt(event.target);
    const row = rowOf(line);
    if (!event.isPrimary || !row || !line || row.state !== "stored") return;
    const { clientX: x, clientY: y } = event;
    press = { row, line, x, y, at: event.timeStamp, isHeld: false };
    timer = setTimeout(hold, HOLD_MS);
  }

  function hold() {
    if (!press || swipe) return;
    press.isHeld = true;
    getSelection()?.removeAllRanges();
    open(press.row, press);
  }

  function moved(/** @type {PointerEvent} */ event) {
    if (!press || press.isHeld) return;
    const across = (event.clientX - press.x) * (getComputedStyle(lines).direction === "rtl" ? -1 : 1);
    const down = Math.abs(event.clientY - press.y);
    if (swipe) return move(across);
    if (Math.hypot(across, down) < REST_PX) return;
    clearTimeout(timer);
    const isReply = across > 2 * down && press.row.mayAnswer && !isIn(event.target, MOVES_ITSELF);
    if (isReply) move(across);
    else press = null;
  }

  function move(/** @type {number} */ across) {
    if (!press) return;
    const { line } = press;
    swipe ??= { by: 0, sign: h("span", { class: "line-swipe" }, icon("reply")) };
    if (!swipe.sign.isConnected) line.prepend(swipe.sign);
    swipe.by = Math.max(0, Math.min(across, MOST_PX));
    line.classList.add("line-swiped");
    line.classList.toggle("line-swiped-far", swipe.by >= REPLY_PX);
    line.style.setProperty("--swipe", `${swipe.by}px`);
  }

  function up(/** @type {PointerEvent} */ event) {
    const { row, isHeld } = press ?? {};
    const isReply = swipe !== null && swipe.by >= REPLY_PX;
    const isTap = row && !isHeld && !swipe && !isIn(event.target, ACTS_ITSELF);
    letGo();
    if (row && isReply) answer(row);
    if (!row || !isTap) return;
    const isTwice = tapped.key === row.key && event.timeStamp - tapped.at < TWICE_MS;
    tapped = isTwice ? { key: "", at: 0 } : { key: row.key, at: event.timeStamp };
    if (isTwice && row.mayReact) like(row);
  }

  function letGo() {
    clearTimeout(timer);
    if (press && swipe) {
      press.line.classList.remove("line-swiped", "line-swiped-far");
      press.line.style.removeProperty("--swipe");
      swipe.sign.remove();
    }
    press = swipe = null;
  }

  return (/** @type {PointerEvent} */ event) => {
    if (event.type === "pointerdown") down(event);
    else if (event.type === "pointermove") moved(event);
    else if (event.type === "pointerup") up(event);
    else letGo();
  };
}

const isIn = (/** @type {EventTarget | null} */ target, /** @type {string} */ selector) =>
  target instanceof Element && target.closest(selector) !== null;
