/**
 * Building and updating the page's elements.
 *
 * Owns the only two ways in which DOM is made here: `h` for an element, `reconcile` for a list that keeps the
 * elements of unchanged rows (and with them focus and scroll position). Text is always set as text, so
 * nothing a person wrote becomes markup.
 */

/**
 * @typedef {Node | string | null | false | undefined} Child
 * @typedef {{ key: string, sign: unknown, build: () => HTMLElement }} Row
 *   `sign` stands for everything the row shows: while it stays the same (by `===`), the element is kept
 */

/**
 * `h("a", { class: "link", href, onclick }, "text")`. Properties beginning with `on`
 * are listeners, `false` and null are left out, everything else is an attribute.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, unknown>} [props]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function h(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) {
      element.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
    } else {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
  element.append(...present(children));
  return element;
}

/** @returns {(Node | string)[]} */
function present(/** @type {Child[]} */ children) {
  return /** @type {(Node | string)[]} */ (
    children.filter((child) => child !== null && child !== undefined && child !== false)
  );
}

/** Replaces the children of an element. */
export function fillWith(/** @type {Element} */ element, /** @type {Child[]} */ ...children) {
  element.replaceChildren(...present(children));
}

/** Sets text only when it differs, so that screen readers do not announce it twice. */
export function setText(/** @type {Element} */ element, /** @type {string} */ text) {
  if (element.textContent !== text) element.textContent = text;
}

/** @type {WeakMap<Element, Map<string, { sign: unknown, element: HTMLElement }>>} */
const shown = new WeakMap();

/**
 * The node on which the pointer was pressed, until it is released. Replacing that element would lose the
 * click, so its row stays unchanged until then.
 * @type {Node | null}
 */
let pressed = null;
/**
 * Lists to draw again after the pointer is released, and the functions that do so.
 * @type {Map<Element, () => void>}
 */
const afterPress = new Map();

function press(/** @type {Event} */ { target }) {
  pressed = target instanceof Node ? target : null;
}

function letGo() {
  pressed = null;
  // The browser dispatches the click right after this event.
  setTimeout(() => {
    for (const again of [...afterPress.values()]) again();
  });
}

globalThis.document?.addEventListener("pointerdown", press, true);
for (const end of ["pointerup", "pointercancel"]) globalThis.document?.addEventListener(end, letGo, true);

const FOCUSABLE = "a[href], button, input, select, textarea";
const called = (/** @type {Element} */ node) =>
  `${node.tagName} ${node.getAttribute("aria-label") ?? node.textContent}`;
/** Elements in `element` that can have the focus. */
const focusable = (/** @type {Element} */ element) =>
  /** @type {HTMLElement[]} */ ([...element.querySelectorAll(FOCUSABLE)]);
/** Elements in `element` that can have the focus and are called the same. */
const namesakes = (/** @type {Element} */ element, /** @type {string} */ name) =>
  focusable(element).filter((one) => called(one) === name);

/**
 * Returns a function that, once rows are drawn again, gives the focus to the element that replaced the focused one.
 */
function focusKeeper(
  /** @type {Element} */ parent,
  /** @type {Map<string, { element: HTMLElement }>} */ rows,
) {
  const node = document.activeElement;
  if (!node || !parent.contains(node)) return () => {};
  const [key, { element }] = [...rows].find(([, row]) => row.element.contains(node)) ?? [
    "",
    { element: null },
  ];
  const held = /** @type {HTMLElement} */ (node);
  const at = element ? namesakes(element, called(node)).indexOf(held) : -1;
  const place = element ? focusable(element).indexOf(held) : -1;
  return (/** @type {Map<string, { element: HTMLElement }>} */ now) => {
    const row = now.get(key)?.element;
    if (at < 0 || !row || row === element || parent.contains(document.activeElement)) return;
    // A link that is called otherwise now stands where it stood.
    const again = focusable(row)[place];
    const same = namesakes(row, called(node))[at] ?? (again?.tagName === "A" ? again : undefined);
    same?.focus({ preventScroll: true });
  };
}

/** Makes the children of `parent` exactly these rows, touching only what differs. The focus stays where it was. */
export function reconcile(
  /** @type {Element} */ parent,
  /** @type {Row[]} */ rows,
  /** @type {() => void} Draws the list again. */ again = () => reconcile(parent, rows),
) {
  const before = shown.get(parent) ?? new Map();
  const after = new Map();
  afterPress.delete(parent);
  for (const { key, sign, build } of rows) {
    const old = before.get(key);
    const isPressed = old !== undefined && pressed !== null && old.element.contains(pressed);
    if (isPressed && old.sign !== sign) afterPress.set(parent, again);
    after.set(key, old?.sign === sign || isPressed ? old : { sign, element: build() });
  }
  const keepFocus = focusKeeper(parent, before);
  for (const [key, { element }] of before) {
    if (after.get(key)?.element !== element) element.remove();
  }
  let place = parent.firstElementChild;
  for (const { element } of after.values()) {
    if (place && element === place) place = place.nextElementSibling;
    else parent.insertBefore(element, place);
  }
  shown.set(parent, after);
  keepFocus(after);
}

/** The element of the row with this key; null if there is none. */
export const rowOf = (/** @type {Element} */ parent, /** @type {string} */ key) =>
  shown.get(parent)?.get(key)?.element ?? null;
