/**
 * Records a voice message and makes it a file for the conversation in which the recording began.
 *
 * Owns the microphone, from the press on its button until the recording is sent, kept or thrown away. While
 * something is recorded, its running time is always visible.
 */

import { lengthInWords } from "../files/files.js";
import { clockTime } from "../text/time.js";
import { h, setText } from "../ui/dom.js";
import { icon } from "../ui/icons.js";
import { t } from "../words/words.js";

/** A recording ends after this time, in case the user forgets the microphone. */
const LONGEST_MS = 30 * 60_000;

/** A MIME type for recording, and its files' extension. @typedef {{ type: string, ending: string }} Format */
/** @typedef {"send" | "keep" | "drop"} Goal what happens to a recording when it ends */

/**
 * @param {object} parts
 * @param {HTMLElement} parts.bar replaces the composer's field during a recording
 * @param {() => string} parts.conv returns the open conversation
 * @param {(file: File, conv: string, isSent: boolean, seconds: number) => void} parts.onRecorded
 * @param {(isOn: boolean) => void} parts.onTurn
 * @param {(words: string) => void} parts.onTrouble
 */
export function createRecording({ bar, conv, onRecorded, onTurn, onTrouble }) {
  /** @type {{ recorder: MediaRecorder, ticking: number, conv: string, goal: Goal } | null} */
  let running = null;
  /** The browser is asking the user for access to the microphone. */
  let isAsking = false;

  const time = h("span", { class: "voice-time", role: "timer", "aria-live": "off" });
  const drop = h(
    "button",
    {
      class: "button-icon",
      type: "button",
      "aria-label": t("Discard the recording"),
      title: t("Discard the recording"),
      onclick: () => end("drop"),
    },
    icon("end"),
  );
  const keep = h(
    "button",
    {
      class: "button-icon",
      type: "button",
      "aria-label": t("Stop and listen"),
      title: t("Stop and listen"),
      onclick: () => end("keep"),
    },
    icon("stop"),
  );
  const send = h(
    "button",
    {
      class: "composer-send",
      type: "button",
      "aria-label": t("Send voice message"),
      title: t("Send voice message"),
      onclick: () => end("send"),
    },
    icon("send"),
  );
  bar.replaceChildren(
    drop,
    h("span", { class: "voice-dot", "aria-hidden": "true" }),
    h("span", { role: "status" }, t("Recording")),
    time,
    keep,
    send,
  );

  /** Starts a recording for the conversation `where`, if it is still open when the microphone is ready. */
  async function start(/** @type {Format} */ format, /** @type {string} */ where) {
    if (running || isAsking) return;
    isAsking = true;
    try {
      const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
      if (conv() === where) begin(stream, where, format);
      else release(stream);
    } catch {
      onTrouble(t("The microphone cannot be used. Allow it for this page in your browser."));
    } finally {
      isAsking = false;
    }
  }

  function begin(
    /** @type {MediaStream} */ stream,
    /** @type {string} */ where,
    /** @type {Format} */ { type, ending },
  ) {
    const recorder = new MediaRecorder(stream, { mimeType: type });
    /** @type {Blob[]} */
    const parts = [];
    recorder.addEventListener("dataavailable", ({ data }) => parts.push(data));
    recorder.addEventListener("stop", () => {
      release(stream);
      const goal = running?.goal ?? "keep";
      turn(null);
      if (goal === "drop" || parts.length === 0) return;
      const name = `${t("Voice message")} ${clockTime(Date.now() / 1000).replaceAll(":", ".")}.${ending}`;
      const seconds = Math.max(1, Math.round((Date.now() - started) / 1000));
      onRecorded(new File(parts, name, { type: type.split(";")[0] }), where, goal === "send", seconds);
    });
    const started = Date.now();
    const tick = () => {
      setText(time, lengthInWords(Math.floor((Date.now() - started) / 1000)));
      if (Date.now() - started > LONGEST_MS) end("keep");
    };
    turn({ recorder, ticking: window.setInterval(tick, 250), conv: where, goal: "keep" });
    tick();
    recorder.start();
    send.focus();
  }

  function turn(/** @type {typeof running} */ now) {
    if (running) clearInterval(running.ticking);
    running = now;
    bar.hidden = !now;
    onTurn(now !== null);
  }

  /**
   * An inactive recorder has ended by itself, since the microphone was taken away; its `stop` event handles
   * that.
   */
  function end(/** @type {Goal} */ goal) {
    if (!running || running.recorder.state === "inactive") return;
    running.goal = goal;
    running.recorder.stop();
  }

  return {
    start,
    /** If another conversation was opened, ends the recording and keeps it in its own conversation. */
    show(/** @type {string} */ now) {
      if (running && running.conv !== now) end("keep");
    },
  };
}

function release(/** @type {MediaStream} */ stream) {
  for (const track of stream.getTracks()) track.stop();
}
