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

/** A letter that is read from right to left, or a sign that turns what follows (UAX #9). */
const TURNS =
  /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const EMBEDS = /[\u202a-\u202e]/g;
const END_OF_ISOLATE = "\u2069";
const isBeginning = (/** @type {string} */ sign) => sign >= "\u2066" && sign <= "\u2068";

/**
 * What somebody wrote, so that it turns no word round that stands beside it, whatever is in
 * it; on a page that is read from right to left, most names would. It is read the way of its
 * first letter; what holds isolates itself (names in a row), the way of the page. Ends of
 * isolates that never began are taken out, and those missing are added.
 */
export function isolated(/** @type {string} */ text) {
  if (text === "" || (direction === "ltr" && !TURNS.test(text))) return text;
  let kept = "";
  let depth = 0;
  /** How many signs and isolates stand side by side, and how many are isolates. */
  let parts = 0;
  let isolates = 0;
  for (const sign of text.replace(EMBEDS, "")) {
    const begins = isBeginning(sign);
    if (sign === END_OF_ISOLATE && depth === 0) continue;
    if (depth === 0) parts += 1;
    if (depth === 0 && begins) isolates += 1;
    if (begins) depth += 1;
    else if (sign === END_OF_ISOLATE) depth -= 1;
    kept += sign;
  }
  kept += END_OF_ISOLATE.repeat(depth);
  if (parts === 1 && isolates === 1) return kept;
  const ofPage = direction === "rtl" ? "\u2067" : "\u2066";
  return `${isolates === 0 ? "\u2068" : ofPage}${kept}${END_OF_ISOLATE}`;
}

/** What people wrote, in a row, with the comma of the language. */
export const inRow = (/** @type {readonly string[]} */ things) =>
  things.map(isolated).join(direction === "rtl" ? "، " : ", ");

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
 * @param {Record<string, unknown>} [facts] what stands in place of names in braces; texts
 *   are isolated, so that no name turns the sentence round
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
  typeof fact === "number" ? numbers.format(fact) : isolated(String(fact));
