/** A sound in a message: a button that plays it, its shape with the position, its time and its speed. */

import { lengthInWords } from "../files/files.js";
import { h, setText } from "../ui/dom.js";
import { icon } from "../ui/icons.js";
import { locale, t } from "../words/words.js";
import { loadShape, seek, setNextSpeed, setShape, soundOf, speedOfSounds, toggle } from "./sounds.js";
import { BARS, pathOf, shapeOf } from "./waveform.js";

const SVG = "http://www.w3.org/2000/svg";

/**
 * Turns the parts of a file's card into a player.
 * @param {object} parts
 * @param {string} parts.file the id of the file
 * @param {string} parts.name
 * @param {number} parts.seconds 0 while it is unknown
 * @param {HTMLElement} parts.card
 * @param {HTMLButtonElement} parts.button plays and pauses
 * @param {HTMLElement} parts.place the element for the shape
 * @param {import("../files/file_card.js").Link} parts.link
 * @param {Record<string, unknown>} parts.facts attributes of the button for the speed
 */
export function createSoundCard({ file, name, seconds, card, button, place, link, facts }) {
  const sound = soundOf(file);
  const all = drawing("wave-all");
  const played = drawing("wave-played");
  const slider = h("input", {
    class: "wave-slider",
    type: "range",
    min: 0,
    step: "any",
    value: 0,
    "aria-label": t("Position in {name}", { name }),
    oninput: () => seek(sound, Number(slider.value), link),
  });
  const time = h("span", { class: "wave-time" });
  const faster = h(
    "button",
    { class: "wave-speed", type: "button", onclick: setNextSpeed, ...facts },
    h("span", { "aria-hidden": "true", dir: "ltr" }),
  );
  const shape = h("div", { class: "wave-shape" });
  shape.append(all.svg, played.svg, slider);
  place.replaceChildren(shape, time);
  button.after(place);
  place.after(faster);

  function draw() {
    const { audio } = sound;
    const length = Number.isFinite(audio.duration) && audio.duration > 0 ? audio.duration : seconds;
    const path = pathOf(sound.shape);
    for (const one of [all.path, played.path])
      if (one.getAttribute("d") !== path) one.setAttribute("d", path);
    const at = Math.min(audio.currentTime, length);
    shape.style.setProperty("--played", `${length > 0 ? (100 * at) / length : 0}%`);
    slider.max = String(length);
    slider.value = String(at);
    const words = `${lengthInWords(Math.floor(at))} / ${lengthInWords(Math.round(length))}`;
    slider.setAttribute("aria-valuetext", words);
    slider.disabled = length === 0;
    const hasBegun = !audio.paused || at > 0;
    setText(time, hasBegun ? words : "");
    card.classList.toggle("file-begun", hasBegun);
    const label = audio.paused ? t("Play {name}", { name }) : t("Pause {name}", { name });
    if (button.getAttribute("aria-label") !== label) {
      button.setAttribute("aria-label", label);
      button.title = label;
      button.replaceChildren(icon(audio.paused ? "play" : "pause"));
    }
    const speed = `${new Intl.NumberFormat(locale).format(speedOfSounds())}×`;
    setText(/** @type {Element} */ (faster.firstElementChild), speed);
    faster.setAttribute("aria-label", t("Speed {speed}", { speed }));
    faster.title = t("Speed {speed}", { speed });
  }

  sound.views.set(card, draw);
  draw();
  return {
    toggle: () => toggle(sound, link),
    setShape: (/** @type {number[]} */ peaks) => setShape(sound, shapeOf(peaks)),
    loadShape: () => loadShape(sound, () => link(true)),
  };
}

/** A drawing of the shape, which another one covers up to the position. */
function drawing(/** @type {string} */ look) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", `wave-drawing ${look}`);
  svg.setAttribute("viewBox", `0 0 ${3 * BARS} 24`);
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("vector-effect", "non-scaling-stroke");
  svg.append(path);
  return { svg, path };
}
