/**
 * The texts of the page, in the reader's language.
 *
 * Owns which language that is. English stands in the code; every other language has one catalogue, keyed by
 * the English texts. A text that a catalogue lacks is shown in English (a test sees to it that none is
 * lacking). The catalogue is chosen when the page is loaded, so changing the language needs a reload.
 */

import { look } from "../account/look.js";
import { arrived } from "../app/loading.js";

/**
 * @typedef {{ other: string } & Partial<Record<Intl.LDMLPluralRule, string>>} Forms of a sentence with a number
 */
/** @typedef {Readonly<Record<string, string | Forms>>} Catalogue by the English text */

/**
 * A language of the client: its own name, and where its texts are. One without `load` is written in the code.
 * `comma` stands between names in a row. `script` is that of the texts, where the language has several.
 * @typedef {{
 *   value: string,
 *   label: string,
 *   direction?: "rtl",
 *   script?: string,
 *   comma?: string,
 *   load?: () => Promise<Catalogue>,
 * }} Language
 */

/** The languages to choose from. Each catalogue loads only where it is used. @type {readonly Language[]} */
export const LANGUAGES = [
  { value: "en", label: "English" },
  { value: "de", label: "Deutsch", load: async () => (await import("./de/words_de.js")).GERMAN },
  { value: "fr", label: "Français", load: async () => (await import("./fr/words_fr.js")).FRENCH },
  { value: "es", label: "Español", load: async () => (await import("./es/words_es.js")).SPANISH },
  { value: "pt", label: "Português", load: async () => (await import("./pt/words_pt.js")).PORTUGUESE },
  { value: "it", label: "Italiano", load: async () => (await import("./it/words_it.js")).ITALIAN },
  {
    value: "ar",
    label: "العربية",
    direction: "rtl",
    comma: "، ",
    load: async () => (await import("./ar/words_ar.js")).ARABIC,
  },
  {
    value: "ja",
    label: "日本語",
    comma: "、",
    load: async () => (await import("./ja/words_ja.js")).JAPANESE,
  },
  {
    value: "zh",
    label: "简体中文",
    script: "Hans",
    comma: "、",
    load: async () => (await import("./zh/words_zh.js")).CHINESE,
  },
  {
    value: "zh-Hant",
    label: "繁體中文",
    script: "Hant",
    comma: "、",
    load: async () => (await import("./zh-Hant/words_zh-Hant.js")).TRADITIONAL,
  },
];

/**
 * The tag of the first wanted language that has texts: the chosen one, then the browser's; undefined if none
 * has.
 */
const wanted = [look().language, ...(globalThis.navigator?.languages ?? [])].find(languageOf);

const chosen = languageOf(wanted ?? "") ?? LANGUAGES[0];

/** The language of the page: the `value` of one of `LANGUAGES`. */
export const language = chosen.value;

/** The tag of the texts, by which browsers choose glyphs and line breaks. */
export const tag = chosen.script ? `${new Intl.Locale(language, { script: chosen.script })}` : language;

/** The locale of times and numbers: the same language and script, with the reader's country. */
export const locale =
  wanted && chosen.script ? `${new Intl.Locale(wanted, { script: chosen.script })}` : wanted;

/** The direction in which the language is read. */
export const direction = chosen.direction ?? "ltr";

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
  things.map(isolated).join(chosen.comma ?? ", ");

/** The texts of the page; none, so that they are in English, for English or if loading fails. */
const words = await loaded();

async function loaded() {
  return (await arrived(async () => (await chosen.load?.()) ?? {})) ?? {};
}

/**
 * The language of a tag, whatever its country; if it has texts in several scripts, the one in the script of the
 * country. Undefined if the client has no texts in it.
 */
function languageOf(/** @type {string} */ tag) {
  const baseOf = (/** @type {string} */ one) => one.split("-")[0].toLowerCase();
  const rows = LANGUAGES.filter(({ value }) => baseOf(value) === baseOf(tag));
  return rows.find(({ script }) => script && script === new Intl.Locale(tag).maximize().script) ?? rows[0];
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
