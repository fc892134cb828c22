/**
 * The sounds of messages: one of them plays at a time, and keeps playing while its message is drawn again.
 *
 * Owns the elements that play, which are on no page, the shapes of the sounds and the speed. The cards show them.
 */

import { FLAT, shapeOf } from "./waveform.js";

/** How many sounds are kept after they were shown. */
const KEPT = 40;
const SPEEDS = [1, 1.5, 2];

/**
 * @typedef {object} Sound
 * @property {HTMLAudioElement} audio
 * @property {number[]} shape
 * @property {Map<HTMLElement, () => void>} views the cards that show it, and what draws them again
 */

/** By the ids of files, the one that was shown last at the end. @type {Map<string, Sound>} */
const sounds = new Map();
/** The sounds whose shapes are known or being loaded. @type {WeakSet<Sound>} */
const shaped = new WeakSet();
let speed = SPEEDS[0];

/** The sound of a file. */
export function soundOf(/** @type {string} */ file) {
  const sound = sounds.get(file) ?? made();
  sounds.delete(file);
  sounds.set(file, sound);
  for (const [key, { audio }] of sounds) {
    if (sounds.size <= KEPT) break;
    if (audio.paused) sounds.delete(key);
  }
  return sound;
}

/** @returns {Sound} */
function made() {
  /** @type {Sound} */
  const sound = { audio: new Audio(), shape: FLAT, views: new Map() };
  sound.audio.preload = "none";
  for (const type of ["play", "pause", "timeupdate", "durationchange", "ended", "error", "ratechange"])
    sound.audio.addEventListener(type, () => changed(sound));
  return sound;
}

function changed(/** @type {Sound} */ { views }) {
  for (const [node, draw] of views) {
    if (node.isConnected) draw();
    else views.delete(node);
  }
}

/** Plays a sound, or pauses it; all others pause. `link` returns a URL to play, null if there is none. */
export async function toggle(
  /** @type {Sound} */ { audio },
  /** @type {() => Promise<string | null>} */ link,
) {
  if (!audio.paused) return audio.pause();
  for (const other of sounds.values()) if (other.audio !== audio) other.audio.pause();
  if (!audio.src || audio.error) {
    const src = await link();
    if (!src) return;
    audio.src = src;
  }
  audio.playbackRate = speed;
  await audio.play().catch(() => {});
}

/** Moves to a second of a sound, which may not be loaded yet. */
export async function seek(
  /** @type {Sound} */ sound,
  /** @type {number} */ second,
  /** @type {() => Promise<string | null>} */ link,
) {
  if (!sound.audio.src) {
    const src = await link();
    if (!src) return;
    sound.audio.src = src;
  }
  sound.audio.currentTime = second;
}

/** The speed of all sounds. */
export const speedOfSounds = () => speed;

/** Sets the next speed for all sounds. */
export function setNextSpeed() {
  speed = SPEEDS[(SPEEDS.indexOf(speed) + 1) % SPEEDS.length];
  for (const sound of sounds.values()) {
    sound.audio.playbackRate = speed;
    changed(sound);
  }
}

/** Sets the shape of a sound. */
export function setShape(/** @type {Sound} */ sound, /** @type {number[]} */ shape) {
  sound.shape = shape;
  changed(sound);
}

/** Loads the shape of a sound, unless the device saves data. */
export async function loadShape(
  /** @type {Sound} */ sound,
  /** @type {() => Promise<string | null>} */ link,
) {
  const { connection } = /** @type {{ connection?: { saveData?: boolean } }} */ (navigator);
  if (shaped.has(sound) || connection?.saveData) return;
  shaped.add(sound);
  try {
    const src = await link();
    const answer = src ? await fetch(src) : null;
    if (!src || !answer?.ok) return shaped.delete(sound);
    sound.audio.src ||= src;
    const context = new OfflineAudioContext(1, 1, 8_000);
    const decoded = await context.decodeAudioData(await answer.arrayBuffer());
    setShape(sound, shapeOf(decoded.getChannelData(0)));
  } catch {
    // The browser cannot decode it, or the network is gone: the shape stays flat.
  }
}

// A sound whose message is on no page any more pauses once the reader goes somewhere else.
addEventListener("hashchange", () =>
  requestAnimationFrame(() => {
    for (const { audio, views } of sounds.values()) {
      if (![...views.keys()].some((node) => node.isConnected)) audio.pause();
    }
  }),
);
