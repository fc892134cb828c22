/**
 * The texts of the page, in the reader's language.
 *
 * Owns which language that is. English stands in the code; every other language has one catalogue, keyed by
 * the English texts. A text that a catalogue lacks is shown in English (a test sees to it that none is
 * lacking). The catalogue is chosen when the page is loaded, so changing the language needs a reload.
 */

import { arrived } from "./loading.js";
import { look } from "./look.js";

/**
 * @typedef {{ other: string } & Partial<Record<Intl.LDMLPluralRule, string>>} Forms of a sentence with a number
 */
/** @typedef {Readonly<Record<string, string | Forms>>} Catalogue by the English text */

/** The languages to choose from, each with its own name. */
export const LANGUAGES = [
  { value: "en", label: "English" },
  { value: "de", label: "Deutsch" },
  { value: "fr", label: "Français" },
  { value: "ar", label: "العربية" },
];

/** The catalogues, each loaded only where it is used. @type {Record<string, () => Promise<Catalogue>>} */
export const CATALOGUES = {
  fr: async () => (await import("./words_fr.js")).FRENCH,
  ar: async () => (await import("./words_ar.js")).ARABIC,
  de: async () => (await import("./words_de.js")).GERMAN,
};

/**
 * The tag of the first wanted language that has texts: the chosen one, then the browser's; undefined if none
 * has.
 */
const wanted = [look().language, ...(globalThis.navigator?.languages ?? [])].find(
  (tag) => baseOf(tag) !== "",
);

/** The language of the page: `en`, or a key of `CATALOGUES`. */
export const language = baseOf(wanted ?? "en");

/** The locale of times and numbers: the same language, with the reader's country. */
export const locale = wanted;

/** The direction in which the language is read. */
export const direction = language === "ar" ? "rtl" : "ltr";

/** A right-to-left letter, or a control character that changes the direction (UAX #9). */
const TURNS =
  /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const EMBEDS = /[\u202a-\u202e]/g;
const END_OF_ISOLATE = "\u2069";
const isBeginning = (/** @type {string} */ sign) => sign >= "\u2066" && sign <= "\u2068";

/**
 * Isolates a text that a person wrote, so that it cannot change the direction of the text around it; needed
 * for most names on a right-to-left page. The text takes the direction of its first letter; one that contains
 * isolates itself (names in a row) takes that of the page. Ends of isolates without a beginning are removed,
 * and missing ends added.
 */
export function isolated(/** @type {string} */ text) {
  if (text === "" || (direction === "ltr" && !TURNS.test(text))) return text;
  let kept = "";
  let depth = 0;
  /** The characters and isolates at the top level, and how many of them are isolates. */
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

/** Texts that people wrote, in a row, with the language's comma. */
export const inRow = (/** @type {readonly string[]} */ things) =>
  things.map(isolated).join(direction === "rtl" ? "، " : ", ");

const words = await wordsOf(language);

/** The language of a tag, without its country; empty if the client has no texts in it. */
function baseOf(/** @type {string} */ tag) {
  const base = tag.split("-")[0].toLowerCase();
  return base === "en" || base in CATALOGUES ? base : "";
}

/**
 * The catalogue of a language; empty, so that the page is in English, for English or if loading fails.
 * @returns {Promise<Catalogue>}
 */
async function wordsOf(/** @type {string} */ spoken) {
  return (await arrived(async () => (await CATALOGUES[spoken]?.()) ?? {})) ?? {};
}

/** Selects the plural form for a number. */
const plurals = new Intl.PluralRules(locale);
const numbers = new Intl.NumberFormat(locale, { useGrouping: false });

/**
 * A text of the client: `t("About {name}", { name })`. The English text is the key of its translations. Where
 * a translation has several plural forms, the first number among the facts selects one.
 * @param {string} english
 * @param {Record<string, unknown>} [facts] the values of the names in braces; texts are isolated, so that no name
 *   changes the direction of the sentence
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
