/**
 * Changes the order of the pictures and files to send: by dragging one, with a pointer or a finger, or by its arrow
 * keys.
 *
 * Owns the pointer that drags. The tray owns the order.
 */

/** How far a pointer has to move before it drags, in CSS pixels. */
const DRAG_PX = 6;
const HANDLE = ".tray-handle";

/**
 * @param {HTMLElement} list
 * @param {(from: number, to: number) => void} move
 */
export function watchOrder(list, move) {
  /** @type {{ handle: Element, x: number, y: number, isDragging: boolean } | null} */
  let held = null;

  const items = () => [...list.children];
  const indexOf = (/** @type {Element} */ handle) => items().findIndex((item) => item.contains(handle));

  list.addEventListener("keydown", (event) => {
    const handle = event.target instanceof Element ? event.target.closest(HANDLE) : null;
    if (!handle || (event.key !== "ArrowLeft" && event.key !== "ArrowRight")) return;
    event.preventDefault();
    const turn = getComputedStyle(list).direction === "rtl" ? -1 : 1;
    const from = indexOf(handle);
    const to = from + (event.key === "ArrowRight" ? turn : -turn);
    move(from, to);
    const moved = items()[to]?.querySelector(HANDLE);
    if (moved instanceof HTMLElement) moved.focus();
  });

  list.addEventListener("pointerdown", ({ target, clientX: x, clientY: y, button }) => {
    const handle = target instanceof Element && button === 0 ? target.closest(HANDLE) : null;
    held = handle && { handle, x, y, isDragging: false };
  });
  list.addEventListener("pointermove", (event) => {
    if (!held) return;
    const { clientX: x, clientY: y, pointerId } = event;
    if (!held.isDragging) {
      if (Math.hypot(x - held.x, y - held.y) < DRAG_PX) return;
      held.isDragging = true;
      list.setPointerCapture(pointerId);
      list.classList.add("tray-dragging");
    }
    const to = items().findIndex((item) => {
      const box = item.getBoundingClientRect();
      return x >= box.left && x <= box.right && y >= box.top && y <= box.bottom;
    });
    const from = indexOf(held.handle);
    if (to >= 0 && from >= 0 && to !== from) move(from, to);
  });
  for (const end of ["pointerup", "pointercancel"]) {
    list.addEventListener(end, () => {
      held = null;
      list.classList.remove("tray-dragging");
    });
  }
}
