/** The number of pages and the title of a PDF, said in its card once that is near the visible part of the page. */

import { h } from "../ui/dom.js";
import { t } from "../words/words.js";
import { factsOfPdf } from "./pdf_facts.js";

/** @typedef {import("./pdf_facts.js").PdfFacts} PdfFacts */
/** @typedef {(isQuiet?: boolean) => Promise<string | null>} Link */

/** How many bytes at the start and at the end of a file are looked at. */
const PART_BYTES = 128 << 10;
/** How many files' facts are kept. */
const KEPT = 100;

/** Facts by the ids of files. @type {Map<string, PdfFacts>} */
const known = new Map();

/** Says in a card how many pages a file has, and its title. The line has its height before. */
export async function sayFacts(
  /** @type {HTMLElement} */ line,
  /** @type {{ id: string, bytes: number, link: Link }} */ file,
) {
  const facts = known.get(file.id) ?? (await factsOf(file).catch(() => null));
  if (!facts) return;
  if (known.size >= KEPT) known.delete(/** @type {string} */ (known.keys().next().value));
  known.set(file.id, facts);
  const { pages, title } = facts;
  if (pages) line.prepend(pages === 1 ? t("1 page") : t("{count} pages", { count: pages }), " · ");
  if (title) line.append(" · ", h("bdi", {}, title));
}

async function factsOf(/** @type {{ bytes: number, link: Link }} */ { bytes, link }) {
  const href = await link(true);
  if (!href) return null;
  const part = async (/** @type {number} */ from, /** @type {number} */ until) => {
    if (from >= until) return new Uint8Array();
    const answer = await fetch(href, { headers: { Range: `bytes=${from}-${until - 1}` } });
    if (!answer.ok) throw new Error(String(answer.status));
    return new Uint8Array(await answer.arrayBuffer()).slice(0, until - from);
  };
  const first = Math.min(bytes, PART_BYTES);
  const last = Math.max(first, bytes - PART_BYTES);
  const [start, end] = await Promise.all([part(0, first), part(last, bytes)]);
  return factsOfPdf(start, end);
}
