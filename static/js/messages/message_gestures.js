/**
 * What the pointer does with messages: a right-click opens the menu of a message. What fingers do loads with the
 * first touch (`message_touch.js`), which then handles what has happened meanwhile.
 */

/** @typedef {import("../timeline/timeline_rows.js").MessageRow} MessageRow */

/** What has a menu of the browser's that people look for. */
const HAS_MENU = "a, img, video, audio";

/**
 * @typedef {object} GestureActs
 * @property {(line: Element | null) => MessageRow | null} rowOf the row that an element shows; null while messages
 *   have no actions
 * @property {(row: MessageRow, at: { x: number, y: number }) => void} open opens the menu
 * @property {(row: MessageRow) => void} answer
 * @property {(row: MessageRow) => void} like
 */

export function watchGestures(/** @type {HTMLElement} */ lines, /** @type {GestureActs} */ acts) {
  /** @type {ReturnType<typeof import("./message_touch.js").createTouch> | null} */
  let touch = null;
  /** Events since the first touch, until the code for them is there. @type {PointerEvent[]} */
  let waiting = [];
  let byMouse = true;

  lines.addEventListener("contextmenu", (event) => {
    const { target, clientX: x, clientY: y } = event;
    const line = target instanceof Element ? target.closest("li.line") : null;
    const row = acts.rowOf(line);
    if (!(target instanceof Element) || !line || row?.state !== "stored") return;
    if (byMouse && (target.closest(HAS_MENU) || hasSelection(line))) return;
    event.preventDefault();
    // A finger that rests opens the menu by itself.
    if (byMouse) acts.open(row, { x, y });
  });

  function pass(/** @type {PointerEvent} */ event) {
    if (event.type === "pointerdown") byMouse = event.pointerType === "mouse";
    if (event.pointerType === "mouse") return;
    if (touch) return touch(event);
    waiting.push(event);
    if (waiting.length === 1) load();
  }

  async function load() {
    try {
      const { createTouch } = await import("./message_touch.js");
      touch = createTouch(lines, acts);
      for (const event of waiting) touch(event);
    } catch {
      // Without a network, the next touch tries again.
    }
    waiting = [];
  }

  for (const type of /** @type {const} */ (["pointerdown", "pointermove", "pointerup", "pointercancel"]))
    lines.addEventListener(type, pass);
}

function hasSelection(/** @type {Element} */ line) {
  const selection = getSelection();
  return selection !== null && !selection.isCollapsed && selection.containsNode(line, true);
}
