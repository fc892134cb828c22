/**
 * A file in a message: its name and size, a button that downloads it, and a player for audio and video. The
 * link is requested when it is needed, since links to files expire.
 */

import { h } from "../dom.js";
import { lengthInWords, playedAs, sizeInWords } from "../files.js";
import { icon } from "../icons.js";
import { t } from "../words.js";
import { control } from "./message_controls.js";

/** @typedef {import("../types.js").Attachment} Attachment */

/**
 * @param {Attachment} file
 * @param {(file: string) => Promise<string | null>} open returns a link to the file; null if there is none
 * @param {(kind: string) => Record<string, unknown>} place returns attributes that tie a button to its surroundings
 */
export function fileCard(file, open, place = control) {
  const name = file.name ?? t("A file");
  const kind = playedAs(String(file.mime_type ?? ""));
  const size = sizeInWords(Number(file.size ?? 0));
  const length = file.duration ? `${lengthInWords(Number(file.duration))} · ` : "";
  const link = () => open(String(file.file_id ?? ""));

  async function download() {
    const href = await link();
    if (href) h("a", { href, download: name }).click();
  }

  async function play() {
    const src = kind && (await link());
    if (!kind || !src) return;
    const player = h(kind, { class: "file-player", src, controls: true, "aria-label": name });
    card.append(player);
    player.play().catch(() => {});
    starter?.remove();
  }

  const button = (
    /** @type {string} */ words,
    /** @type {import("../icons.js").IconName} */ sign,
    /** @type {() => void} */ onclick,
  ) =>
    h(
      "button",
      {
        class: "button-icon",
        type: "button",
        "aria-label": words,
        title: words,
        onclick,
        ...place(`file-${sign}-${file.file_id}`),
      },
      icon(sign),
    );
  const starter = kind && button(t("Play {name}", { name }), "play", play);
  const card = h(
    "div",
    { class: "file" },
    starter,
    h(
      "div",
      { class: "file-about" },
      h("span", { class: "file-name", dir: "auto" }, name),
      h("span", { class: "file-size" }, `${length}${size}`),
    ),
    button(t("Download {name}", { name }), "down", download),
  );
  return card;
}
