/**
 * What the pointer and fingers do with messages: a right-click or a long press opens the menu of a message, two
 * taps give it a heart, and a swipe replies to it.
 *
 * Owns the gesture that is under way, and how far its message has moved.
 */

import { h } from "../dom.js";
import { icon } from "../icons.js";

/** @typedef {import("./timeline_rows.js").MessageRow} MessageRow */

/** How long a finger rests for a long press, and the time between two taps, in milliseconds. */
const HOLD_MS = 450;
const TWICE_MS = 300;
/** How far a finger that rests may move, how far it moves for a reply, and at most, in pixels. */
const REST_PX = 10;
const REPLY_PX = 56;
const MOST_PX = 72;

/** What is scrolled, dragged or pressed on its own. */
const MOVES_ITSELF = "input, textarea, pre, audio, video";
const ACTS_ITSELF = "a, button, input, time, summary, audio, video";
/** What has a menu of the browser's that people look for. */
const HAS_MENU = "a, img, video, audio";

/**
 * @param {HTMLElement} lines
 * @param {object} acts
 * @param {(line: Element | null) => MessageRow | null} acts.rowOf the row that an element shows; null while
 *   messages have no actions
 * @param {(row: MessageRow, at: { x: number, y: number }) => void} acts.open opens the menu
 * @param {(row: MessageRow) => void} acts.answer
 * @param {(row: MessageRow) => void} acts.like
 */
export function watchGestures(lines, { rowOf, open, answer, like }) {
  /** @type {{ row: MessageRow, line: HTMLElement, x: number, y: number, at: number, isHeld: boolean } | null} */
  let press = null;
  /** How far the message was swiped, and the sign beside it. @type {{ by: number, sign: Element } | null} */
  let swipe = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let tapped = { key: "", at: 0 };
  let byMouse = true;

  /** @returns {HTMLElement | null} */
  const lineAt = (/** @type {EventTarget | null} */ target) =>
    target instanceof Element ? target.closest("li.line") : null;

  lines.addEventListener("contextmenu", (event) => {
    const line = lineAt(event.target);
    const row = rowOf(line);
    if (!row || !line || row.state !== "stored") return;
    if (byMouse && (isIn(event.target, HAS_MENU) || hasSelection(line))) return;
    event.preventDefault();
    if (press?.isHeld) return;
    if (press) press.isHeld = true;
    clearTimeout(timer);
    open(row, { x: event.clientX, y: event.clientY });
  });

  lines.addEventListener("pointerdown", (event) => {
    letGo();
    byMouse = event.pointerType === "mouse";
    const line = lineAt(event.target);
    const row = rowOf(line);
    if (byMouse || !event.isPrimary || !row || !line || row.state !== "stored") return;
    const { clientX: x, clientY: y } = event;
    press = { row, line, x, y, at: event.timeStamp, isHeld: false };
    timer = setTimeout(hold, HOLD_MS);
  });

  function hold() {
    if (!press || swipe) return;
    press.isHeld = true;
    getSelection()?.removeAllRanges();
    open(press.row, press);
  }

  lines.addEventListener("pointermove", (event) => {
    if (!press || press.isHeld) return;
    const across = (event.clientX - press.x) * (getComputedStyle(lines).direction === "rtl" ? -1 : 1);
    const down = Math.abs(event.clientY - press.y);
    if (swipe) return move(across);
    if (Math.hypot(across, down) < REST_PX) return;
    clearTimeout(timer);
    const isReply = across > 2 * down && press.row.mayAnswer && !isIn(event.target, MOVES_ITSELF);
    if (isReply) move(across);
    else press = null;
  });

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

  lines.addEventListener("pointerup", (event) => {
    const { row, isHeld } = press ?? {};
    const isReply = swipe !== null && swipe.by >= REPLY_PX;
    const isTap = row && !isHeld && !swipe && !isIn(event.target, ACTS_ITSELF);
    letGo();
    if (row && isReply) answer(row);
    if (!row || !isTap) return;
    const isTwice = tapped.key === row.key && event.timeStamp - tapped.at < TWICE_MS;
    tapped = isTwice ? { key: "", at: 0 } : { key: row.key, at: event.timeStamp };
    if (isTwice && row.mayReact) like(row);
  });
  lines.addEventListener("pointercancel", letGo);

  function letGo() {
    clearTimeout(timer);
    if (press && swipe) {
      press.line.classList.remove("line-swiped", "line-swiped-far");
      press.line.style.removeProperty("--swipe");
      swipe.sign.remove();
    }
    press = swipe = null;
  }
}

const isIn = (/** @type {EventTarget | null} */ target, /** @type {string} */ selector) =>
  target instanceof Element && target.closest(selector) !== null;

function hasSelection(/** @type {Element} */ line) {
  const selection = getSelection();
  return selection !== null && !selection.isCollapsed && selection.containsNode(line, true);
}
