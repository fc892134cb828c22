/**
 * What the server found wrong with a bot, laid beside the fields it is about.
 *
 * Pure. The server begins each problem with the name of the field.
 */

import { t } from "./words.js";

/** How fields are called in sentences. */
const NAMES = {
  name: t("The name"),
  callback_url: t("This URL"),
  avatar_url: t("The picture"),
  group_id: t("The group"),
};

/** @typedef {keyof typeof NAMES} FieldName */

/**
 * @param {string[]} problems
 * @param {FieldName[]} fields those that can show a problem
 * @returns {{ at: Partial<Record<FieldName, string>>, rest: string[] }}
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
