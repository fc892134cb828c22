/** Keeps what the user types while the window that they type for is still loading. */

/** Holds keys until `opening` has settled, then passes them to the focused input of the window. */
export async function holdKeys(/** @type {Promise<void>} */ opening) {
  let text = "";
  let isEntered = false;

  function hold(/** @type {KeyboardEvent} */ event) {
    const { key, ctrlKey, metaKey, altKey } = event;
    const isLetter = [...key].length === 1;
    if (ctrlKey || metaKey || altKey || !(isLetter || key === "Backspace" || key === "Enter")) return;
    event.preventDefault();
    event.stopPropagation();
    if (isEntered) return;
    if (key === "Enter") isEntered = true;
    else text = isLetter ? text + key : [...text].slice(0, -1).join("");
  }

  document.addEventListener("keydown", hold, { capture: true });
  try {
    await opening;
  } finally {
    document.removeEventListener("keydown", hold, { capture: true });
  }
  const field = document.activeElement;
  if (!(field instanceof HTMLInputElement) || !field.closest("dialog")) return;
  if (text !== "") field.setRangeText(text, 0, field.value.length, "end");
  if (text !== "") field.dispatchEvent(new Event("input", { bubbles: true }));
  if (isEntered) field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
}
