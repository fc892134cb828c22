/** The sound of a new message: two short sine tones, made with the Web Audio API. */

/** The tones: their pitch in hertz, and when each begins, in seconds. */
const TONES = [
  { pitch: 659.26, at: 0 },
  { pitch: 880, at: 0.09 },
];
/** How long a tone takes to swell and to fade, in seconds, and how loud it gets, of 1. */
const SWELL_S = 0.012;
const FADE_S = 0.15;
const LOUD = 0.09;
/** As good as silent: an exponential fade cannot end at 0. */
const SILENT = 0.0001;
/** How long a browser that refuses sound is waited for, in milliseconds: it does not answer at all. */
const REFUSED_MS = 500;

/** One for the page, since some browsers trust one only after it played when a button was pressed. @type {AudioContext | null} */
let context = null;
let plays = 0;

/**
 * Plays the sound. Returns whether the browser allowed it: before a person has touched the page, it does not.
 */
export async function playTones() {
  try {
    context ??= new AudioContext();
    const refused = new Promise((resolve) => setTimeout(resolve, REFUSED_MS));
    await Promise.race([context.resume(), refused]);
    if (context.state !== "running") return false;
    start(context);
    return true;
  } catch {
    // The browser has no Web Audio, or no device for it.
    return false;
  }
}

function start(/** @type {AudioContext} */ audio) {
  plays += 1;
  const mine = plays;
  for (const [place, { pitch, at }] of TONES.entries()) {
    const begin = audio.currentTime + at;
    const end = begin + SWELL_S + FADE_S;
    const loudness = audio.createGain();
    loudness.gain.setValueAtTime(SILENT, begin);
    loudness.gain.exponentialRampToValueAtTime(LOUD, begin + SWELL_S);
    loudness.gain.exponentialRampToValueAtTime(SILENT, end);
    loudness.connect(audio.destination);
    const tone = audio.createOscillator();
    tone.frequency.value = pitch;
    tone.connect(loudness);
    tone.start(begin);
    tone.stop(end);
    // Between sounds, the device for them rests.
    if (place === TONES.length - 1) tone.onended = () => mine === plays && audio.suspend();
  }
}
