/** The first lines of text files, loaded once their cards come near the visible part of the page. */

import { firstLines } from "./files.js";

/** How much of a text is loaded for its first lines, in bytes. */
const START_BYTES = 1024;
/** How many texts are kept. */
const KEPT = 60;

/** The first lines of texts by the ids of their files. @type {Map<string, string>} */
const starts = new Map();

/** The first lines of a text file; empty if they cannot be loaded. */
export async function startOf(/** @type {string} */ file, /** @type {() => Promise<string | null>} */ link) {
  const known = starts.get(file);
  if (known !== undefined) return known;
  const href = await link();
  const headers = { Range: `bytes=0-${START_BYTES - 1}` };
  const answer = href ? await fetch(href, { headers }).catch(() => null) : null;
  if (!answer?.ok) return "";
  const bytes = new Uint8Array(await answer.arrayBuffer()).slice(0, START_BYTES);
  // The part may end within a character, which is left out.
  const text = firstLines(new TextDecoder().decode(bytes, { stream: bytes.length === START_BYTES }));
  if (starts.size >= KEPT) starts.delete(/** @type {string} */ (starts.keys().next().value));
  starts.set(file, text);
  return text;
}
