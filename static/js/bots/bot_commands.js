/** A bot's commands as text to edit: each line has a name, followed by what the command does. Pure. */

import { countChars } from "../text/text.js";
import { t } from "../words/words.js";

/** @typedef {{ name: string, description: string }} BotCommand */

const NAME = /^[a-z0-9_-]{1,32}$/;
const MOST_ABOUT = 100;
const MOST = 50;

/** @returns {{ commands: BotCommand[], problem: string }} `problem` is empty where all is well */
export function readCommands(/** @type {string} */ written) {
  const lines = written.split("\n").filter((line) => line.trim() !== "");
  const commands = lines.map((line) => {
    const [, name, description] = /** @type {RegExpExecArray} */ (/^\s*\/?(\S*)\s*(.*?)\s*$/.exec(line));
    return { name, description };
  });
  return { commands, problem: problemOf(commands) };
}

function problemOf(/** @type {BotCommand[]} */ commands) {
  const names = new Set(commands.map(({ name }) => name));
  const wrong = commands.find(({ name }) => !NAME.test(name));
  if (wrong)
    return t("“{name}” is not a valid name. Use up to 32 of a to z, 0 to 9, _ and -.", { name: wrong.name });
  if (names.size < commands.length) return t("Each command needs another name.");
  if (commands.length > MOST) return t("At most {MOST} commands.", { MOST });
  const long = commands.find(({ description }) => countChars(description) > MOST_ABOUT);
  return long
    ? t("The description of /{name} is too long. Use at most {MOST_ABOUT} characters.", {
        name: long.name,
        MOST_ABOUT,
      })
    : "";
}

export const commandLines = (/** @type {BotCommand[]} */ commands) =>
  commands.map(({ name, description }) => `${name} ${description}`.trim()).join("\n");
