/**
 * The button for voice messages, and the place of the recorder, whose code is loaded when the button is first
 * pressed.
 */

import { arrived } from "../app/loading.js";
import { h } from "../ui/dom.js";
import { icon } from "../ui/icons.js";
import { t } from "../words/words.js";

/** The formats to record in, the most widely playable first, and the extensions of their files. */
const FORMATS = [
  { type: "audio/webm;codecs=opus", ending: "webm" },
  { type: "audio/mp4", ending: "m4a" },
  { type: "audio/ogg;codecs=opus", ending: "ogg" },
];
/** @typedef {ReturnType<typeof import("./recording.js").createRecording>} Recording */

/** @param {Omit<Parameters<typeof import("./recording.js").createRecording>[0], "bar">} parts */
export function createVoice(parts) {
  const label = t("Record a voice message");
  const button = h(
    "button",
    { class: "button-icon", type: "button", "aria-label": label, title: label, onclick: start },
    icon("microphone"),
  );
  const bar = h("div", { class: "voice", hidden: true });
  const format = FORMATS.find(({ type }) => globalThis.MediaRecorder?.isTypeSupported(type));
  button.hidden = !format || !navigator.mediaDevices;
  /** @type {Promise<Recording | null> | null} */
  let coming = null;
  /** @type {Recording | null} */
  let recording = null;

  async function start() {
    if (!format) return;
    const where = parts.conv();
    coming ??= load();
    recording = await coming;
    // If loading failed, the next press tries again.
    if (recording) recording.start(format, where);
    else coming = null;
  }

  const load = () => arrived(async () => (await import("./recording.js")).createRecording({ ...parts, bar }));

  return {
    button,
    bar,
    /** Tells the recorder which conversation is open. */
    show: (/** @type {string} */ now) => recording?.show(now),
  };
}
