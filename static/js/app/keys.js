/** The keyboard shortcuts that work everywhere in the client. */

import { listView } from "../conversation_list/list_view.js";
import { hrefFrom } from "../details/beside.js";
import { holdKeys } from "../ui/held_keys.js";
import { pages } from "../ui/window.js";
import { convOf } from "./route.js";
import { openPalette, openShortcuts } from "./windows.js";

/** Whether the element with the focus takes text. */
const isWriting = (/** @type {EventTarget | null} */ target) =>
  target instanceof Element && target.matches("input, textarea, select, [contenteditable]");

/** Starts to listen. Shortcuts do nothing while nobody is signed in or a window is open. */
export function listenForKeys(/** @type {import("./app.js").App} */ app) {
  document.addEventListener("keydown", (event) => {
    const { phase, snapshot } = app.state.get();
    if (phase === "out" || !snapshot || event.defaultPrevented || document.querySelector("dialog[open]"))
      return;
    const run = actOf(event, app);
    if (!run) return;
    event.preventDefault();
    run();
  });
}

/** @returns {(() => void) | null} */
function actOf(/** @type {KeyboardEvent} */ event, /** @type {import("./app.js").App} */ app) {
  const { key, ctrlKey, metaKey, altKey, shiftKey, target } = event;
  const isCommand = (ctrlKey || metaKey) && !altKey && !shiftKey;
  if (isCommand && key.toLowerCase() === "k") return () => holdKeys(openPalette(app));
  if (ctrlKey || metaKey) return null;
  if (altKey && key === "ArrowDown") return () => step(app, 1);
  if (altKey && key === "ArrowUp") return () => step(app, -1);
  return key === "?" && !altKey && !isWriting(target) ? openShortcuts : null;
}

/** Goes to the conversation below or above the open one; with none open, to the first or the last. */
function step(/** @type {import("./app.js").App} */ app, /** @type {1 | -1} */ by) {
  const { snapshot, route } = app.state.get();
  const all = snapshot ? listView(snapshot, app.folder.get()).shown : [];
  const at = all.findIndex(({ conv }) => conv === convOf(route));
  const next = at < 0 ? all.at(by > 0 ? 0 : -1) : all[at + by];
  if (next) pages.goTo(hrefFrom(route, next.conv));
}
