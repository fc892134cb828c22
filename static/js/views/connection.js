/**
 * Shows whether the data on screen is up to date.
 *
 * Owns a word beside the user's name and a line above the conversation. An interruption of a second is not
 * worth showing, so trouble appears only when it lasts.
 */

import { h, setText } from "../dom.js";
import { clockTime, shortTime } from "../time.js";
import { t } from "../words.js";

const PATIENCE_MS = 1_200;

/** @type {Record<import("../push.js").PushState, string>} */
const WORDS = {
  idle: t("Connecting…"),
  loading: t("Connecting…"),
  connecting: t("Connecting…"),
  replaying: t("Catching up…"),
  live: t("Connected"),
  waiting: t("Offline. Trying again…"),
  ended: t("Offline"),
};

export function createConnection() {
  const word = h("span");
  const status = h("p", { class: "connection" }, h("span", { class: "connection-dot" }), word);
  const banner = h("p", { class: "banner", role: "status" });

  /** @type {import("../push.js").PushState} */
  let now = "idle";
  /**
   * When the shown data was saved on this device, in seconds since 1970; 0 if it is up to date with the
   * server.
   */
  let copiedAt = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;

  function write() {
    timer = undefined;
    const troubled = now !== "live";
    status.dataset.state = troubled ? "trouble" : "live";
    setText(word, WORDS[now]);
    setText(banner, troubled ? `${WORDS[now]}${copiedAt > 0 ? copyWords(copiedAt) : ""}` : "");
  }

  return {
    status,
    banner,
    show(/** @type {import("../state.js").State} */ { connection, snapshot }) {
      const copied = snapshot?.copiedAt ?? 0;
      if (connection === now && copied === copiedAt) return;
      now = connection;
      copiedAt = copied;
      const alreadyTroubled = status.dataset.state === "trouble";
      if (now === "live" || alreadyTroubled || copiedAt > 0) {
        clearTimeout(timer);
        write();
      } else {
        timer ??= setTimeout(write, PATIENCE_MS);
      }
    },
  };
}

/** Says that the data on screen is this device's copy, and from when. */
function copyWords(/** @type {number} */ at) {
  const time = clockTime(at);
  const day = shortTime(at, Date.now() / 1000);
  const when = day === time ? time : `${day}, ${time}`;
  return t(" You see what this device kept: {when}.", { when });
}
