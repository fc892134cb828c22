/**
 * What a PDF says about itself: the number of its pages and its title, from its first and last bytes.
 *
 * Pure. Reads no cross references: the dictionaries of the page tree and of the document are looked for in the bytes
 * and in compressed object streams. What is not found there, or is encrypted, stays unknown.
 */

/**
 * The most object streams of a part that are inflated, the most characters of each, and the most objects that are looked
 * at in it: strangers send files, and reading one takes a few milliseconds at most.
 */
const STREAMS_MOST = 20;
const INFLATED_MOST = 1 << 18;
const OBJECTS_MOST = 500;
const TITLE_CHARS_MOST = 120;
const TITLE_BYTES_MOST = 2_000;
/** What marks a title in UTF-16, as Latin-1. */
const UTF_16 = "\u00fe\u00ff";
const UTF_8 = "\u00ef\u00bb\u00bf";

/** @typedef {{ pages: number | null, title: string }} PdfFacts the number of pages if it is known; the title or "" */

/** @returns {Promise<PdfFacts>} */
export async function factsOfPdf(/** @type {Uint8Array} */ start, /** @type {Uint8Array} */ end) {
  const parts = [latin1(start), latin1(end)];
  /** @type {string[]} */
  const objects = [];
  for (const text of parts) objects.push(...text.split("endobj"), ...(await packedObjects(text)));
  const isEncrypted = parts.some((text) => /\/Encrypt\b/.test(text));
  return { pages: pagesOf(objects), title: isEncrypted ? "" : titleOf(objects) };
}

/** Bytes as text, one character each: of names and offsets of a PDF, this is the text. */
function latin1(/** @type {Uint8Array} */ bytes) {
  let text = "";
  for (let at = 0; at < bytes.length; at += 8192)
    text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return text;
}

/** The objects of the object streams in a text. */
async function packedObjects(/** @type {string} */ text) {
  /** @type {string[]} */
  const found = [];
  const streams = [...text.matchAll(/<<[^<>]{0,400}\/ObjStm\b[^<>]{0,400}>>\s?\s?stream\r?\n/g)].slice(
    -STREAMS_MOST,
  );
  for (const { 0: head, index } of streams) {
    if (!/\/FlateDecode\b/.test(head)) continue;
    const from = index + head.length;
    const until = text.indexOf("endstream", from);
    const content = await inflated(text.slice(from, until < 0 ? undefined : until));
    const first = numberIn(head, "First") ?? 0;
    const numbers = content
      .slice(0, first)
      .split(/\s+/, 2 * OBJECTS_MOST)
      .map(Number);
    const starts = numbers.filter((_, at) => at % 2 === 1);
    starts.forEach((at, place) => {
      // Places that do not ascend would be read again and again.
      const next = starts[place + 1] ?? content.length;
      if (next > at) found.push(content.slice(first + at, first + next));
    });
  }
  return found;
}

/** What a compressed text says, as far as it can be read. */
async function inflated(/** @type {string} */ packed) {
  const bytes = Uint8Array.from(packed, (sign) => sign.charCodeAt(0));
  let text = "";
  try {
    const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate")).getReader();
    while (text.length < INFLATED_MOST) {
      const { value, done } = await reader.read();
      if (done) return text;
      text += latin1(value);
    }
    await reader.cancel();
  } catch {
    // Cut off, or followed by other bytes: what came before counts.
  }
  return text;
}

function numberIn(/** @type {string} */ dictionary, /** @type {string} */ key) {
  const found = new RegExp(`/${key}\\s+(\\d{1,7})\\b`).exec(dictionary);
  return found ? Number(found[1]) : null;
}

/** The root of the page tree counts all pages. Its last version counts, and what a fast start says else. */
function pagesOf(/** @type {string[]} */ objects) {
  const isRoot = (/** @type {string} */ object) =>
    /\/Type\s*\/Pages\b/.test(object) && !/\/Parent\b/.test(object);
  const root = objects.findLast(isRoot);
  const fast = objects.find((object) => /\/Linearized\b/.test(object));
  const pages = (root && numberIn(root, "Count")) ?? (fast && numberIn(fast, "N"));
  return pages || null;
}

/** The title of the document. Entries of its outline have titles too, but stand below another one. */
function titleOf(/** @type {string[]} */ objects) {
  const about = objects.findLast((object) => /\/Title\s*[(<]/.test(object) && !/\/Parent\b/.test(object));
  if (!about) return "";
  const rest = about.slice(about.search(/\/Title\s*[(<]/) + "/Title".length).trimStart();
  const words = decoded(rest.startsWith("(") ? literal(rest) : hexadecimal(rest));
  // Control characters, and those that turn the direction of a text.
  return words
    .replace(/[\p{Cc}\p{Cf}]+/gu, " ")
    .trim()
    .slice(0, TITLE_CHARS_MOST);
}

const ESCAPES = /** @type {Record<string, string>} */ ({ n: "\n", r: "\r", t: "\t", b: "\b", f: "\f" });

/** The bytes of a string in parentheses (ISO 32000, 7.3.4.2). */
function literal(/** @type {string} */ text) {
  let said = "";
  let depth = 0;
  for (let at = 0; at < Math.min(text.length, TITLE_BYTES_MOST); at += 1) {
    const sign = text[at];
    if (sign === "\\") {
      const octal = /^[0-7]{1,3}/.exec(text.slice(at + 1, at + 4))?.[0];
      said += octal
        ? String.fromCharCode(Number.parseInt(octal, 8) & 0xff)
        : (ESCAPES[text[at + 1]] ?? text[at + 1] ?? "");
      at += octal?.length ?? 1;
      continue;
    }
    if (sign === ")") depth -= 1;
    if (depth === 0) {
      if (sign === ")") break;
    } else said += sign;
    if (sign === "(") depth += 1;
  }
  return said;
}

/** The bytes of a string in hexadecimal digits. */
function hexadecimal(/** @type {string} */ text) {
  const digits = text
    .slice(1, Math.max(text.slice(0, 2 * TITLE_BYTES_MOST).indexOf(">"), 0))
    .replace(/[^0-9a-f]/gi, "");
  return (digits.match(/../g) ?? []).map((pair) => String.fromCharCode(Number.parseInt(pair, 16))).join("");
}

/** The text of a string: UTF-16 or UTF-8 if it says so; the rest is Latin-1 but for a few signs. */
function decoded(/** @type {string} */ said) {
  const bytes = Uint8Array.from(said, (sign) => sign.charCodeAt(0));
  if (said.startsWith(UTF_16)) return new TextDecoder("utf-16be").decode(bytes);
  return said.startsWith(UTF_8) ? new TextDecoder().decode(bytes) : said;
}
