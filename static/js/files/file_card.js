/**
 * A file in a message: the sign of its type, its name and size, and a button that downloads it. Sounds and videos
 * play in it; a text shows its first lines, a PDF its pages and title. Links are requested when they are needed, since they expire.
 */

import { arrived } from "../app/loading.js";
import { openPdf } from "../app/windows.js";
import { control } from "../messages/message_controls.js";
import { formOf } from "../pictures/pictures.js";
import { h } from "../ui/dom.js";
import { icon } from "../ui/icons.js";
import { t } from "../words/words.js";
import { isText, lengthInWords, playedAs, signOfFile, sizeInWords } from "./files.js";

/** @typedef {import("../sync/types.js").Attachment} Attachment */
/** @typedef {ReturnType<typeof import("../voice/sound_card.js").createSoundCard>} Player */
/**
 * Returns a link to a file; null if there is none, which is then said unless it is quiet: nobody asked for it.
 * @typedef {(file: string, isQuiet?: boolean) => Promise<string | null>} Open
 */
/** @typedef {(isQuiet?: boolean) => Promise<string | null>} Link */

const PDF = "application/pdf";
/** Texts beyond this size are rarely for reading. */
const TEXT_BYTES = 1 << 20;
/** Larger sounds are not loaded for their shape. */
const SHAPE_BYTES = 2 << 20;

/** What is done once a card comes near the visible part of the page. @type {WeakMap<Element, () => void>} */
const onSeen = new WeakMap();
const watcher =
  globalThis.IntersectionObserver &&
  new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (!isIntersecting) continue;
        watcher.unobserve(target);
        onSeen.get(target)?.();
      }
    },
    { rootMargin: "200px" },
  );

function whenSeen(/** @type {Element} */ node, /** @type {() => void} */ run) {
  onSeen.set(node, run);
  watcher?.observe(node);
}

/**
 * @param {Attachment} file
 * @param {Open} open
 * @param {(kind: string) => Record<string, unknown>} place returns attributes that tie a button to its surroundings
 */
export function fileCard(file, open, place = control) {
  const { id, name, type, bytes, seconds } = factsOf(file);
  /** @type {Link} */
  const link = async (isQuiet) => (isQuiet && !navigator.onLine ? null : open(id, isQuiet));

  async function download() {
    const href = await link();
    if (href) h("a", { href, download: name }).click();
  }

  const button = (
    /** @type {string} */ words,
    /** @type {import("../ui/icons.js").IconName} */ sign,
    /** @type {() => void} */ onclick,
    look = "button-icon",
  ) =>
    h(
      "button",
      {
        class: look,
        type: "button",
        "aria-label": words,
        title: words,
        onclick,
        ...place(`file-${sign}-${id}`),
      },
      icon(sign),
    );
  const length = seconds ? `${lengthInWords(seconds)} · ` : "";
  const about = h(
    "div",
    { class: "file-about" },
    h("span", { class: "file-name", dir: "auto" }, name),
    h("span", { class: "file-size" }, bytes > 0 ? `${length}${sizeInWords(bytes)}` : lengthInWords(seconds)),
  );
  const down = button(t("Download {name}", { name }), "down", download);
  const play = (/** @type {() => void} */ onclick) =>
    button(t("Play {name}", { name }), "play", onclick, "file-play");
  const kind = playedAs(type);
  const parts = { file, link, about, down, play };
  if (kind === "audio") return sound(parts, place(`file-speed-${id}`));
  if (kind === "video") return film(parts);
  const card = h("div", { class: "file" }, typeTile(name), about, down);
  if (isText(type) && bytes > 0 && bytes <= TEXT_BYTES) showStart(card, id, link);
  if (type === PDF && bytes > 0) {
    const look = () => openPdf({ name, link, download });
    // Phones without a viewer download it.
    if (navigator.pdfViewerEnabled) down.before(button(t("Show {name}", { name }), "enlarge", look));
    sayFacts(card, { id, bytes, link });
  }
  return card;
}

/**
 * The facts of a file. Sounds and videos of other clients name it by its URL, and tell neither name nor size.
 */
function factsOf(/** @type {Attachment} */ file) {
  const { type: kind, url = "", name, mime_type: mime, size, duration } = file;
  const seconds = Math.ceil(Number(duration ?? 0));
  const id = String(file.file_id ?? url.split("?")[0].split("/").at(-1));
  if (kind === "audio") return { id, name: t("Voice message"), type: "audio/mp4", bytes: 0, seconds };
  if (kind === "video") return { id, name: t("Video"), type: "video/mp4", bytes: 0, seconds };
  return { id, name: name ?? t("A file"), type: String(mime ?? ""), bytes: Number(size ?? 0), seconds };
}

/** The end of the file's name on a colour of its family. Decoration. */
function typeTile(/** @type {string} */ name) {
  const sign = signOfFile(name);
  const look = sign?.hue === null || !sign ? "file-type" : `file-type file-type-known hue-${sign.hue}`;
  return h("span", { class: look, "aria-hidden": "true" }, sign ? sign.end : icon("file"));
}

/**
 * @typedef {object} Parts of a card for something that plays
 * @property {Attachment} file
 * @property {Link} link
 * @property {HTMLElement} about
 * @property {HTMLElement} down
 * @property {(onclick: () => void) => HTMLButtonElement} play makes the button that plays it
 */

/** A sound, whose player is loaded once it is seen. A voice message shows its length in place of its name. */
function sound(
  /** @type {Parts} */ { file, link, about, down, play },
  /** @type {Record<string, unknown>} attributes of the button for the speed */ facts,
) {
  const { id, name, bytes, seconds } = factsOf(file);
  const starter = play(async () => (await arrived(player))?.toggle());
  const wave = h("div", { class: "wave" });
  const card = h(
    "div",
    { class: seconds ? "file file-sound file-voice" : "file file-sound" },
    starter,
    wave,
    about,
    down,
  );
  /** @type {Promise<Player> | null} */
  let coming = null;

  function player() {
    const of = { file: id, name, seconds, card, button: starter, place: wave, link, facts };
    coming ??= import("../voice/sound_card.js").then(({ createSoundCard }) => createSoundCard(of));
    // If loading failed, the next press tries again.
    coming.catch(() => {
      coming = null;
    });
    return coming;
  }

  whenSeen(card, async () => {
    const made = await player().catch(() => null);
    if (Array.isArray(file.peaks)) made?.setShape(file.peaks.map(Number));
    else if (seconds > 0 && bytes <= SHAPE_BYTES) made?.loadShape();
  });
  return card;
}

/** The frames of the videos that were started and may still be on the page. @type {Map<string, WeakRef<HTMLElement>>} */
const started = new Map();

/**
 * Puts the frame of a video that was started in place of a new one, once the message has been drawn again, and lets it
 * play on.
 */
function continueIn(/** @type {HTMLElement} */ frame, /** @type {string} */ id) {
  const old = started.get(id)?.deref();
  const player = old?.querySelector("video");
  if (!old || !player) return;
  const wasPlaying = !player.paused;
  queueMicrotask(() => {
    // The same video may be on the page twice, in a thread for example.
    if (old.isConnected || !frame.isConnected) return;
    frame.replaceWith(old);
    if (wasPlaying) player.play().catch(() => {});
  });
}

/** A video, with its picture, or else its first frame as soon as it is seen. */
function film(/** @type {Parts} */ { file, link, about, down, play }) {
  const { id, name } = factsOf(file);
  const poster = typeof file.preview_url === "string" ? file.preview_url : null;
  const player = h("video", {
    class: "file-player",
    preload: "metadata",
    playsinline: true,
    poster: poster && formOf(poster, "large"),
    "aria-label": name,
  });
  const starter = play(start);
  const frame = h("div", { class: "film" }, player, starter);

  async function load(isQuiet = false) {
    if (player.src) return true;
    const src = await link(isQuiet);
    // The time makes phones show a frame.
    if (src) player.src = `${src}#t=0.1`;
    return src !== null;
  }

  async function start() {
    if (!(await load())) return;
    started.set(id, new WeakRef(frame));
    player.controls = true;
    starter.remove();
    player.play().catch(() => {});
    player.focus();
  }

  const { connection } = /** @type {{ connection?: { saveData?: boolean } }} */ (navigator);
  if (!poster && !connection?.saveData) whenSeen(frame, () => load(true));
  continueIn(frame, id);
  return h("div", { class: "file file-film" }, frame, about, down);
}

/** Shows the first lines of a text below its name. Their room is there before they are. */
function showStart(/** @type {HTMLElement} */ card, /** @type {string} */ id, /** @type {Link} */ link) {
  const lines = h("pre", { class: "file-lines", dir: "auto" });
  card.append(lines);
  whenSeen(card, async () => {
    // Without a network, the card shows no lines.
    const part = await import("./text_start.js").catch(() => null);
    lines.textContent = part ? await part.startOf(id, () => link(true)).catch(() => "") : "";
    lines.classList.toggle("file-lines-none", lines.textContent === "");
  });
}

/** Says how many pages a PDF has, once it is seen. */
function sayFacts(
  /** @type {HTMLElement} */ card,
  /** @type {{ id: string, bytes: number, link: Link }} */ file,
) {
  const line = /** @type {HTMLElement} */ (card.querySelector(".file-size"));
  line.classList.add("file-facts");
  whenSeen(card, async () => {
    // Without a network, the card says no more.
    const part = await import("./pdf_facts_line.js").catch(() => null);
    await part?.sayFacts(line, file);
  });
}
