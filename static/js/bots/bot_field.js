/** The fields of a bot's forms, and the problems that the server reports about them. */

import { ApiError } from "../sync/api.js";
import { countChars } from "../text/text.js";
import { field } from "../ui/field.js";
import { t } from "../words/words.js";
import { sortProblems } from "./bot_problems.js";

/** @typedef {import("./bot_problems.js").FieldName} FieldName */
/** @typedef {import("../ui/field.js").AnyField} AnyField */

const MAX_NAME = 255;

export const nameField = () =>
  field({ label: t("Name"), name: "name", autocomplete: "off", placeholder: "Echo" });

export const urlField = () =>
  field({
    label: t("Callback URL (optional)"),
    name: "callback_url",
    type: "url",
    inputmode: "url",
    autocomplete: "off",
    placeholder: "https://bots.example.org/echo",
    hint: t(
      "The server sends each message of the group to this URL. Leave it empty for a bot that only posts, or that the server cannot reach: such a bot requests new messages itself (pull mode).",
    ),
  });

export function nameProblem(/** @type {string} */ name) {
  if (name === "") return t("Give the bot a name.");
  return countChars(name) > MAX_NAME && t("Use at most {NAME} characters.", { NAME: MAX_NAME });
}

export const urlProblem = (/** @type {string} */ url) =>
  url !== "" && !/^https?:\/\/./i.test(url) && t("Enter a URL, like https://bots.example.org/echo.");

/**
 * Runs a request and shows each problem of a 400 response at its field. Throws problems that belong to no
 * field, and all other errors.
 * @param {Partial<Record<FieldName, AnyField>>} fields
 * @param {() => Promise<unknown>} run
 * @returns {Promise<boolean>} whether the request succeeded
 */
export async function tellingAt(fields, run) {
  try {
    await run();
    return true;
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 400) throw error;
    const names = /** @type {FieldName[]} */ (Object.keys(fields));
    const { at, rest } = sortProblems(error.problems, names);
    const wrong = names.filter((name) => at[name]);
    for (const name of wrong) fields[name]?.complain(at[name] ?? "");
    fields[wrong[0]]?.input.focus();
    if (rest.length > 0 || wrong.length === 0) throw new ApiError(error.status, rest);
    return false;
  }
}
