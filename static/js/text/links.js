/**
 * Finds the links in what somebody wrote, as the server does (`src/domain/links.rs`).
 *
 * Pure, and without words of any language: the service worker that shows notices uses it too.
 */

import { ENDS, PAIRS, TRAILING } from "./link_signs.js";

/** Only `http` and `https` URLs become links. */
const SCHEME = /\bhttps?:\/\//gi;

const AT_END = new RegExp(`(?:${TRAILING.source})+$`, "u");

/**
 * Splits a text into links and the text between them; `href` is null for plain text.
 * @returns {{ text: string, href: string | null }[]}
 */
export function splitLinks(/** @type {string} */ text) {
  const pieces = [];
  let from = 0;
  for (const { index } of text.matchAll(SCHEME)) {
    // A scheme inside a link belongs to that link.
    if (index < from) continue;
    const href = linkAt(text, index);
    if (!URL.canParse(href)) continue;
    if (index > from) pieces.push({ text: text.slice(from, index), href: null });
    pieces.push({ text: href, href });
    from = index + href.length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from), href: null });
  return pieces;
}

/**
 * Returns the URL that begins at `start`. In "(see https://a.example/b)" the bracket is not part of it, in
 * "…/Foo_(bar)" it is.
 */
function linkAt(/** @type {string} */ text, /** @type {number} */ start) {
  /** @type {{ at: number, closing: string }[]} */
  const open = [];
  let at = start;
  let end = start;
  for (const sign of text.slice(start)) {
    const pair = PAIRS.indexOf(sign);
    const isTrailing = TRAILING.test(sign);
    if (pair >= 0 && pair % 2 === 0) open.push({ at, closing: PAIRS[pair + 1] });
    else if (pair >= 0 && open.at(-1)?.closing !== sign) break;
    else if (pair >= 0) open.pop();
    else if (!isTrailing && ENDS.test(sign)) break;
    at += sign.length;
    if (!isTrailing) end = at;
  }
  const unclosed = open[0]?.at;
  return unclosed === undefined ? text.slice(start, end) : text.slice(start, unclosed).replace(AT_END, "");
}
