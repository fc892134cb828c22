/**
 * The sources of suggestions in the composer: commands of bots, people to mention, and emoji.
 *
 * Commands are loaded from the server when needed and cached for a while; people are those of the
 * conversation.
 */

import { avatar } from "../people/avatar.js";
import { UNSPACED } from "../search/finding.js";
import { beginsMention, mentionable } from "../text/addressing.js";
import { h } from "../ui/dom.js";
import { t } from "../words/words.js";

/** @typedef {import("../bots/bot_calls.js").Command} Command */
/** @typedef {import("./suggestions.js").Source} Source */

/** How long loaded commands are used again, in milliseconds. */
const KEPT_MS = 60_000;

/** @returns {Source} */
export function commandsOf(/** @type {(conv: string) => Promise<Command[]>} */ load) {
  /** @type {Map<string, { commands: Command[], at: number }>} */
  const kept = new Map();

  async function all(/** @type {string} */ of) {
    const known = kept.get(of);
    if (known && Date.now() - known.at < KEPT_MS) return known.commands;
    const commands = await load(of).catch(() => known?.commands ?? []);
    kept.set(of, { commands, at: Date.now() });
    return commands;
  }

  return {
    label: t("Commands"),
    counted: (count) => t("{it} commands", { it: count }),
    begun: (before, after) => (after === "" && /^\/[a-z0-9_-]*$/i.test(before) ? before : null),
    async offered(begun, conv) {
      const wanted = begun.slice(1).toLowerCase();
      const commands = conv.startsWith("g:") ? await all(conv) : [];
      return commands
        .filter(({ name }) => name.startsWith(wanted))
        .map((command) => ({ text: `/${command.name}`, build: () => commandRow(command) }));
    },
  };
}

const commandRow = (/** @type {Command} */ { name, description, bot_name: bot }) => [
  h("b", { class: "command-name" }, `/${name}`),
  h("span", { class: "command-about", dir: "auto" }, description),
  h("bdi", { class: "command-bot" }, bot),
];

/** @returns {Source} */
export function peopleOf(
  /** @type {() => Iterable<import("../text/addressing.js").Named>} */ names,
  /** @type {(id: string) => string | null | undefined} */ pictureOf,
) {
  return {
    label: t("People to mention"),
    counted: (count) => t("{it} people", { it: count }),
    begun: beginsMention,
    offered: (begun) =>
      mentionable(names(), begun.slice(1)).map(([id, name]) => ({
        text: `@${name}`,
        build: () => [
          avatar({ id, name, imageUrl: pictureOf(id), size: "small" }),
          h("bdi", { class: "command-about" }, name),
        ],
      })),
  };
}

/**
 * An unfinished name of an emoji: a colon, full-width too, with two letters, or one of a script without spaces.
 */
const EMOJI_BEGUN = new RegExp(
  `(?:^|\\s|${UNSPACED.source})([:：](?:[\\p{L}\\p{M}][\\p{L}\\p{M}\\p{N}_-]{1,30}|${UNSPACED.source})[:：]?)$`,
  "u",
);

/**
 * Emoji by their names, after a colon; the list of all loads with the first one.
 * @returns {Source}
 */
export function emojiOf(/** @type {() => string} */ tone) {
  return {
    label: t("Emoji"),
    counted: (count) => t("{it} emoji", { it: count }),
    begun: (before) => EMOJI_BEGUN.exec(before)?.[1] ?? null,
    async offered(begun) {
      const emoji = await import("../reactions/emoji.js").catch(() => null);
      if (!emoji) return [];
      const { allEmoji, foundAmong, inTone } = emoji;
      const groups = await allEmoji().catch(() => []);
      const wanted = begun.replace(/[:：]/g, "").replace(/_/g, " ");
      return foundAmong(groups, wanted).map(({ sign, name, hasTones }) => {
        const text = hasTones ? inTone(sign, tone()) : sign;
        return {
          text,
          build: () => [
            h("span", { class: "command-emoji", "aria-hidden": "true" }, text),
            h("span", { class: "command-about" }, name),
          ],
        };
      });
    },
  };
}
