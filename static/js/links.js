/**
 * Where the links in what somebody wrote lie.
 *
 * Pure, and of no language: the worker that shows notices uses it too.
 */

/** `http` only: anything else a person writes stays plain text. */
const LINK = /\bhttps?:\/\/[^\s<>"]+/gi;

/** Signs that end a sentence rather than an address. */
const TRAILING = /[.,;:!?'*]+$/;

/**
 * The text in pieces, links apart.
 * @returns {{ text: string, href: string | null }[]}
 */
export function splitLinks(/** @type {string} */ text) {
  const pieces = [];
  let from = 0;
  for (const found of text.matchAll(LINK)) {
    const href = trimmed(found[0]);
    if (!URL.canParse(href)) continue;
    if (found.index > from) pieces.push({ text: text.slice(from, found.index), href: null });
    pieces.push({ text: href, href });
    from = found.index + href.length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from), href: null });
  return pieces;
}

function trimmed(/** @type {string} */ found) {
  let href = found.replace(TRAILING, "");
  // "(see https://a.example/b)" ends before the bracket, "…/Foo_(bar)" does not.
  while (href.endsWith(")") && href.split(")").length > href.split("(").length) {
    href = href.slice(0, -1).replace(TRAILING, "");
  }
  return href;
}
