/**
 * Recording a voice message: what the device hears becomes a file of the conversation in
 * which the recording began.
 *
 * Owns the microphone, from the press on its button until the recording is sent, kept or
 * thrown away. Nothing is recorded without its time running beside it.
 */

import { h, setText } from "../dom.js";
import { lengthInWords } from "../files.js";
import { icon } from "../icons.js";
import { clockTime } from "../time.js";
import { t } from "../words.js";

/** What browsers record, what most of them play first; and what such a file is called. */
const FORMATS = [
  { type: "audio/webm;codecs=opus", ending: "webm" },
  { type: "audio/mp4", ending: "m4a" },
  { type: "audio/ogg;codecs=opus", ending: "ogg" },
];
/** Whoever forgot the microphone is not recorded for ever. */
const LONGEST_MS = 30 * 60_000;

/** @typedef {"send" | "keep" | "drop"} Goal what becomes of a recording */

/**
 * @param {object} parts
 * @param {() => string} parts.conv the conversation that is open
 * @param {(file: File, conv: string, isSent: boolean) => void} parts.onRecorded
 * @param {(isOn: boolean) => void} parts.onTurn
 * @param {(words: string) => void} parts.onTrouble
 */
export function createVoice({ conv, onRecorded, onTurn, onTrouble }) {
  /** @type {{ recorder: MediaRecorder, ticking: number, conv: string, goal: Goal } | null} */
  let running = null;
  /** The browser asks whether it may. */
  let isAsking = false;

  const label = t("Record a voice message");
  const button = h(
    "button",
    { class: "button-icon", type: "button", "aria-label": label, title: label, onclick: start },
    icon("microphone"),
  );
  const format = FORMATS.find(({ type }) => globalThis.MediaRecorder?.isTypeSupported(type));
  button.hidden = !format || !navigator.mediaDevices;

  const time = h("span", { class: "voice-time", role: "timer", "aria-live": "off" });
  const drop = h(
    "button",
    {
      class: "button-icon",
      type: "button",
      "aria-label": t("Throw the recording away"),
      title: t("Throw the recording away"),
      onclick: () => end("drop"),
    },
    icon("end"),
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
  const bar = h(
    "div",
    { class: "voice", hidden: true },
    drop,
    h("span", { class: "voice-dot", "aria-hidden": "true" }),
    h("span", { role: "status" }, t("Recording")),
    time,
    send,
  );

  async function start() {
    if (running || isAsking || !format) return;
    isAsking = true;
    const where = conv();
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
    /** @type {(typeof FORMATS)[number]} */ { type, ending },
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
      onRecorded(new File(parts, name, { type: type.split(";")[0] }), where, goal === "send");
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

  /** A recorder that ended by itself, since the microphone was taken away, has told so. */
  function end(/** @type {Goal} */ goal) {
    if (!running || running.recorder.state === "inactive") return;
    running.goal = goal;
    running.recorder.stop();
  }

  return {
    button,
    bar,
    /** Another conversation is open: what was said so far waits in its own. */
    show(/** @type {string} */ now) {
      if (running && running.conv !== now) end("keep");
    },
  };
}

function release(/** @type {MediaStream} */ stream) {
  for (const track of stream.getTracks()) track.stop();
}
