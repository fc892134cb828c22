/**
 * Finds the links in what somebody wrote.
 *
 * Pure, and without words of any language: the service worker that shows notices uses it too.
 */

/** Only `http` and `https` URLs become links. */
const LINK = /\bhttps?:\/\/[^\s<>"]+/gi;

/** Punctuation at the end of a URL, which belongs to the sentence. */
const TRAILING = /[.,;:!?'*]+$/;

/**
 * Splits a text into links and the text between them; `href` is null for plain text.
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
  // In "(see https://a.example/b)" the bracket is not part of the URL, in "…/Foo_(bar)" it is.
  while (href.endsWith(")") && href.split(")").length > href.split("(").length) {
    href = href.slice(0, -1).replace(TRAILING, "");
  }
  return href;
}
