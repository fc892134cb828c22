/**
 * Sorts the server's validation errors about a bot by the form field that each concerns.
 *
 * Pure. The server begins each error with the name of the field.
 */

import { t } from "../words/words.js";

/** The names of fields in sentences. */
const NAMES = {
  name: t("The name"),
  callback_url: t("This URL"),
  avatar_url: t("The picture"),
  group_id: t("The group"),
};

/** @typedef {keyof typeof NAMES} FieldName */

/**
 * @param {string[]} problems
 * @param {FieldName[]} fields the fields that the form shows
 * @returns {{ at: Partial<Record<FieldName, string>>, rest: string[] }} the first error of each field, and all others
 */
export function sortProblems(problems, fields) {
  /** @type {Partial<Record<FieldName, string>>} */
  const at = {};
  const rest = [];
  for (const problem of problems) {
    const field = fields.find((name) => problem.startsWith(`${name} `) && !at[name]);
    if (field) at[field] = `${NAMES[field]}${problem.slice(field.length)}.`;
    else rest.push(problem);
  }
  return { at, rest };
}
