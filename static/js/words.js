/**
 * The words that people read, in their language.
 *
 * Owns which language that is. English stands in the code, where it is read best; every
 * other language has one catalogue, by the English words. What is missing in it is said in
 * English (a test sees to it that nothing is). Words are looked up once a page is loaded,
 * so that another language takes a reload.
 */

import { look } from "./look.js";
import { GERMAN } from "./words_de.js";
import { GERMAN_BOTS } from "./words_de_bots.js";
import { GERMAN_MESSAGES } from "./words_de_messages.js";
import { GERMAN_PLANS } from "./words_de_plans.js";

/** @typedef {Readonly<Record<string, string>>} Catalogue by the English words */

/** What one can choose, each called as those who speak it call it. */
export const LANGUAGES = [
  { value: "en", label: "English" },
  { value: "de", label: "Deutsch" },
];

/** @type {Record<string, Catalogue>} */
const CATALOGUES = { en: {}, de: { ...GERMAN, ...GERMAN_BOTS, ...GERMAN_MESSAGES, ...GERMAN_PLANS } };

/** For times and numbers: as chosen, else as the device says. */
export const locale = look().language || undefined;

/** What is spoken here, as a language tag. */
export const language = spoken([look().language, ...(globalThis.navigator?.languages ?? [])]);

/** The first of these for which there are words. */
function spoken(/** @type {readonly string[]} */ wanted) {
  const known = wanted.map((tag) => tag.split("-")[0]).find((tag) => tag in CATALOGUES);
  return known ?? "en";
}

/**
 * Words of the client: `t("About {name}", { name })`. The English words are the name under
 * which those of the other languages are found.
 * @param {string} english
 * @param {Record<string, unknown>} [facts] what stands in place of names in braces
 */
export function t(english, facts = {}) {
  const words = CATALOGUES[language][english] ?? english;
  return words.replace(/\{(\w+)\}/g, (whole, name) => (name in facts ? String(facts[name]) : whole));
}
