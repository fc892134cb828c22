/** Passes new messages on to the sounds, which are loaded with the first message that may make one. */

import { isBy } from "../sync/messages.js";

const NEW = new Set(["line.create", "direct_message.create"]);

/** Starts to listen. Messages that were missed without a connection make no sound. */
export function listenForChimes(/** @type {import("../app/app.js").App} */ app) {
  /** @type {ReturnType<typeof import("./chime.js").createChimes> | null} */
  let chimes = null;

  app.onEvent(async (before, event) => {
    const { type, data, alert } = event;
    if (!NEW.has(type) || !alert || data.system || isBy(data, before.user.id)) return;
    if (app.state.get().connection !== "live") return;
    // Browsers refuse sound until a person has touched the page.
    if (navigator.userActivation?.hasBeenActive === false) return;
    const part = await import("./chime.js").catch(() => null);
    if (part) chimes ??= part.createChimes(app);
    chimes?.came(event);
  });
}
