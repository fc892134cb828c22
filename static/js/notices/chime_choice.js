/**
 * The part of the account page for the sound of new messages on this device: whether there is one, a button to
 * hear it, and the quiet hours. A choice takes effect at once.
 */

import { h, setText } from "../ui/dom.js";
import { check, field } from "../ui/field.js";
import { t } from "../words/words.js";
import { chimeSettings, setChimeSettings } from "./chime_settings.js";
import { playTones } from "./tones.js";

/** @typedef {import("../ui/field.js").Field} Field */

export function createChimeChoice() {
  const sounds = check({
    label: t("Sounds"),
    hint: t("A short sound on this device for new messages that notify you, while this page is open."),
  });
  const play = h("button", { class: "button", type: "button", onclick: hear }, t("Play it"));
  const alert = h("p", { class: "alert", role: "alert" });
  const hours = check({
    label: t("Quiet hours"),
    hint: t("No sound between these times on this device."),
  });
  const from = field({ label: t("Quiet from"), type: "time" });
  const until = field({ label: t("Quiet until"), type: "time" });
  const times = h("div", { class: "look" }, from.node, until.node);
  const node = h("div", { class: "account-sounds" }, sounds.node, play, alert, hours.node, times);

  sounds.input.addEventListener("change", () => {
    setChimeSettings({ on: sounds.input.checked });
    show();
  });
  hours.input.addEventListener("change", () => {
    setChimeSettings({ quiet: hours.input.checked });
    load();
  });
  for (const one of [from, until]) one.input.addEventListener("change", () => setTimes(one));

  /** Keeps the times after one of them changed, or says at that one what is wrong. */
  function setTimes(/** @type {Field} */ changed) {
    for (const one of [from, until]) one.complain("");
    const [start, end] = [from.input.value, until.input.value];
    if (changed.input.value === "") changed.complain(t("Enter a time."));
    else if (start === end) changed.complain(t("Choose two different times."));
    else if (start && end) setChimeSettings({ from: start, until: end });
  }

  async function hear() {
    setText(alert, "");
    if (!(await playTones())) setText(alert, t("This browser did not play the sound."));
  }

  function show() {
    hours.node.hidden = !sounds.input.checked;
    times.hidden = !sounds.input.checked || !hours.input.checked;
  }

  /** Shows the settings of this device; another tab may have changed them. */
  function load() {
    const settings = chimeSettings();
    sounds.input.checked = settings.on;
    hours.input.checked = settings.quiet;
    from.input.value = settings.from;
    until.input.value = settings.until;
    for (const one of [from, until]) one.complain("");
    show();
  }

  load();
  return { node, load };
}
