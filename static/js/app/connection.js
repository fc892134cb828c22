/**
 * Shows whether the data on screen is up to date.
 *
 * Owns a word beside the user's name and a line above the conversation. An interruption of a second is not
 * worth showing, so trouble of the feed appears only when it lasts. A device without a network, and a request
 * without an answer, show at once.
 */

import { clockTime, shortTime } from "../text/time.js";
import { h, setText } from "../ui/dom.js";
import { t } from "../words/words.js";

const PATIENCE_MS = 1_200;

/** @type {Record<import("../push.js").PushState, string>} */
const WORDS = {
  idle: t("Connecting…"),
  loading: t("Connecting…"),
  connecting: t("Connecting…"),
  replaying: t("Catching up…"),
  live: t("Connected"),
  waiting: t("Offline. Reconnecting…"),
  ended: t("Offline"),
};

export function createConnection() {
  const word = h("span");
  const status = h("p", { class: "connection" }, h("span", { class: "connection-dot" }), word);
  const banner = h("p", { class: "banner", role: "status" });

  /** @type {import("../push.js").PushState} */
  let now = "idle";
  /** Whether the device is offline or a request failed, which the feed may not have noticed. */
  let isCut = false;
  /**
   * When the shown data was saved on this device, in seconds since 1970; 0 if it is up to date with the
   * server.
   */
  let copiedAt = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;

  function write() {
    timer = undefined;
    const troubled = isCut || now !== "live";
    const words = isCut ? WORDS.waiting : WORDS[now];
    status.dataset.state = troubled ? "trouble" : "live";
    setText(word, words);
    setText(banner, troubled ? `${words}${copiedAt > 0 ? copyWords(copiedAt) : ""}` : "");
  }

  return {
    status,
    banner,
    show(/** @type {import("../sync/state.js").State} */ { connection, snapshot, cut }) {
      const copied = snapshot?.copiedAt ?? 0;
      if (connection === now && copied === copiedAt && Boolean(cut) === isCut) return;
      isCut = Boolean(cut);
      now = connection;
      copiedAt = copied;
      const alreadyTroubled = status.dataset.state === "trouble";
      if (isCut || now === "live" || alreadyTroubled || copiedAt > 0) {
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
  return t(" You see the messages stored on this device: {when}.", { when });
}
