/**
 * The words that people read, in their language.
 *
 * Owns which language that is. English stands in the code, where it is read best; every
 * other language has one catalogue, by the English words. What is missing in it is said in
 * English (a test sees to it that nothing is). Words are looked up once a page is loaded,
 * so that another language takes a reload.
 */

import { arrived } from "./loading.js";
import { look } from "./look.js";

/** @typedef {{ other: string } & Partial<Record<Intl.LDMLPluralRule, string>>} Forms of a sentence with a number */
/** @typedef {Readonly<Record<string, string | Forms>>} Catalogue by the English words */

/** What one can choose, each called as those who speak it call it. */
export const LANGUAGES = [
  { value: "en", label: "English" },
  { value: "de", label: "Deutsch" },
  { value: "fr", label: "Français" },
  { value: "ar", label: "العربية" },
];

/** Each comes only where it is spoken. @type {Record<string, () => Promise<Catalogue>>} */
export const CATALOGUES = {
  fr: async () => (await import("./words_fr.js")).FRENCH,
  ar: async () => (await import("./words_ar.js")).ARABIC,
  de: async () => (await import("./words_de.js")).GERMAN,
};

/** The first of the languages wanted here for which there are words. */
const wanted = [look().language, ...(globalThis.navigator?.languages ?? [])].find(
  (tag) => baseOf(tag) !== "",
);

/** What is spoken here, as a language tag. */
export const language = baseOf(wanted ?? "en");

/** For times and numbers: of the same language, as it is spoken where people are. */
export const locale = wanted;

/** Which way it is read. */
export const direction = language === "ar" ? "rtl" : "ltr";

/** Several things in a row, with the comma of the language. */
export const inRow = (/** @type {readonly string[]} */ things) =>
  things.join(direction === "rtl" ? "، " : ", ");

const words = await wordsOf(language);

/** The language of a tag, without its country; empty where there are no words for it. */
function baseOf(/** @type {string} */ tag) {
  const base = tag.split("-")[0].toLowerCase();
  return base === "en" || base in CATALOGUES ? base : "";
}

/** Without its catalogue, a language is English that one can read. @returns {Promise<Catalogue>} */
async function wordsOf(/** @type {string} */ spoken) {
  return (await arrived(async () => (await CATALOGUES[spoken]?.()) ?? {})) ?? {};
}

/** Which of the forms of a language goes with a number. */
const plurals = new Intl.PluralRules(locale);
const numbers = new Intl.NumberFormat(locale, { useGrouping: false });

/**
 * Words of the client: `t("About {name}", { name })`. The English words are the name under
 * which those of the other languages are found. Where a language has several forms for
 * several numbers, the first number among the facts says which one it is.
 * @param {string} english
 * @param {Record<string, unknown>} [facts] what stands in place of names in braces
 */
export function t(english, facts = {}) {
  const found = words[english] ?? english;
  const said = typeof found === "string" ? found : formFor(found, facts);
  return said.replace(/\{(\w+)\}/g, (whole, name) => (name in facts ? shown(facts[name]) : whole));
}

function formFor(/** @type {Forms} */ forms, /** @type {Record<string, unknown>} */ facts) {
  const number = Object.values(facts).find((fact) => typeof fact === "number");
  return forms[plurals.select(Number(number ?? 0))] ?? forms.other;
}

const shown = (/** @type {unknown} */ fact) =>
  typeof fact === "number" ? numbers.format(fact) : String(fact);
