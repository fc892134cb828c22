/**
 * Formatting in messages: a small subset of Markdown (CommonMark's signs).
 *
 * Pure: text to a tree. Knows code, quotes, lists, emphasis and links with words; a sign that is not closed,
 * or stands inside a word, stays text. Nothing is ever HTML.
 */

import { splitLinks } from "./links.js";

/**
 * @typedef {{ kind: "text", text: string }} TextNode
 * @typedef {{ kind: "link", href: string, children: MarkdownNode[] }} LinkNode
 * @typedef {{ kind: "mention", text: string, users: readonly string[] }} MentionNode
 * @typedef {{ kind: "strong" | "em" | "del" | "quote", children: MarkdownNode[] }} StyledNode
 * @typedef {{ kind: "code" | "block", text: string }} CodeNode `block` is a fenced code block
 * @typedef {{ kind: "list", isNumbered: boolean, items: { number: number, children: MarkdownNode[] }[] }} ListNode
 * @typedef {TextNode | LinkNode | MentionNode | StyledNode | CodeNode | ListNode} MarkdownNode
 */

/**
 * A stretch of text that is never split: a URL or a mention.
 * @typedef {{ start: number, end: number, node: MarkdownNode }} Atom
 */

/** Signs of formatting; a text without any, as most are, needs no parsing of blocks. */
const SIGNS = /[`*_~[]|^(?:> | {0,3}(?:-|\d{1,9}\.) )/m;

const FENCE = /^```[^`]*$/;
const QUOTE = /^> /;
const ITEM = /^ {0,3}(?:[-*]|(\d{1,9})\.) +(?=\S)/;

/** The spans within one line. Emphasized text begins and ends with a character that is no space. */
const SPANS = /** @type {const} */ ([
  ["strong", /\*\*(?=\S)(\*[^\n*]+\*|[^\n]*?[^\s*])\*\*(?!\w)/y],
  ["em", /\*(?=[^\s*])([^\n*]*?[^\s*])\*(?!\w)/y],
  ["em", /_(?=[^\s_])([^\n]*?[^\s_])_(?![\p{L}\p{N}_])/uy],
  ["del", /~~(?=\S)([^\n]*?[^\s~])~~(?!\w)/y],
]);
const CODE = /(`{1,3})(?!`)([^\n]*?[^`\n])\1(?!`)/y;
const WORDED_LINK = /\[([^[\]\n]+)\]\((https?:\/\/[^\s()<>"]+)\)/iy;

/** The ends of lines (CommonMark 2.1). */
const LINE_END = /\r\n|\n|\r/g;

/** Signs that look like a dot, a colon or a slash, and that NFKC leaves as they are. */
const DOTS = /[\u00b7\u2022\u2024\u2027\u2219\u22c5\u30fb\u0387\u0701\u0702\ua78f\u3002\u06d4\u2e31\u2e33]/gu;
const COLONS = /[\u02d0\u0589\u05c3\u2236\ua789]/gu;
const SLASHES = /[\u2044\u2215\u29f8\u2571\u27cb]/gu;

/** Parses a text into a tree of nodes, in order; the mentions come from the message. */
export function parseMarkdown(
  /** @type {string} */ text,
  /** @type {readonly { text: string, users: readonly string[] }[]} */ pieces,
) {
  const atoms = [...mentionAtoms(pieces), ...linkAtoms(text)].sort((one, other) => one.start - other.start);
  return SIGNS.test(text) ? blocks(text, atoms) : spans(text, 0, text.length, atoms);
}

/**
 * Returns the text without its formatting, for places that show plain text: each block on lines of its own.
 * @param {string} text
 * @param {() => readonly { text: string, users: readonly string[] }[]} [pieces] the mentions of the text
 */
export const withoutSigns = (text, pieces = () => []) =>
  SIGNS.test(text) ? wordsIn(parseMarkdown(text, pieces())) : text;

/** @returns {string} */
function wordsIn(/** @type {readonly MarkdownNode[]} */ nodes) {
  return nodes
    .map((node, at) => {
      const before = nodes[at - 1];
      const isApart = before !== undefined && (isBlock(before) || isBlock(node));
      return (isApart ? "\n" : "") + wordsOf(node);
    })
    .join("");
}

/** @returns {string} */
function wordsOf(/** @type {MarkdownNode} */ node) {
  if (node.kind === "list") return node.items.map(({ children }) => wordsIn(children)).join("\n");
  return "children" in node ? wordsIn(node.children) : node.text;
}

/** @returns {Atom[]} */
function mentionAtoms(/** @type {readonly { text: string, users: readonly string[] }[]} */ pieces) {
  let end = 0;
  return pieces.flatMap(({ text, users }) => {
    const start = end;
    end += text.length;
    return users.length > 0 ? [{ start, end, node: { kind: "mention", text, users } }] : [];
  });
}

/** @returns {Atom[]} */
function linkAtoms(/** @type {string} */ text) {
  let end = 0;
  return splitLinks(text).flatMap(({ text: words, href }) => {
    const start = end;
    end += words.length;
    /** @type {MarkdownNode} */
    const node = { kind: "link", href: href ?? "", children: [{ kind: "text", text: words }] };
    return href ? [{ start, end, node }] : [];
  });
}

/** @returns {MarkdownNode[]} */
function blocks(/** @type {string} */ text, /** @type {readonly Atom[]} */ atoms) {
  /** @type {MarkdownNode[]} */
  const made = [];
  const lines = linesOf(text);
  const inside = (/** @type {number} */ start, /** @type {number} */ end) => spans(text, start, end, atoms);
  let at = 0;
  while (at < lines.length) {
    const { start, end, words } = lines[at];
    const close = FENCE.test(words)
      ? lines.findIndex((line, other) => other > at && line.words === "```")
      : -1;
    const last = made.at(-1);
    if (close > at) {
      const inner = lines.slice(at + 1, close).map((line) => line.words);
      made.push({ kind: "block", text: inner.join("\n") });
      at = close;
    } else if (QUOTE.test(words)) {
      const children = inside(start + markOf(QUOTE, words), end);
      if (last?.kind === "quote") last.children.push({ kind: "text", text: "\n" }, ...children);
      else made.push({ kind: "quote", children });
    } else if (ITEM.test(words)) {
      const number = ITEM.exec(words)?.[1];
      const item = { number: Number(number ?? 0), children: inside(start + markOf(ITEM, words), end) };
      const isNumbered = number !== undefined;
      if (last?.kind === "list" && last.isNumbered === isNumbered) last.items.push(item);
      else made.push({ kind: "list", isNumbered, items: [item] });
    } else {
      // A line break after a quote, list or code block is not needed: those are drawn as blocks.
      if (last !== undefined && !isBlock(last)) made.push({ kind: "text", text: "\n" });
      made.push(...inside(start, end));
    }
    at += 1;
  }
  return made;
}

const isBlock = (/** @type {MarkdownNode} */ { kind }) =>
  kind === "block" || kind === "quote" || kind === "list";

const markOf = (/** @type {RegExp} */ mark, /** @type {string} */ words) => mark.exec(words)?.[0].length ?? 0;

/** The lines of a text without their ends, and where they are. */
function linesOf(/** @type {string} */ text) {
  const lines = [];
  let start = 0;
  for (const { 0: mark, index } of [...text.matchAll(LINE_END), { 0: "", index: text.length }]) {
    lines.push({ start, end: index, words: text.slice(start, index) });
    start = index + mark.length;
  }
  return lines;
}

/** The nodes of the text from `start` to `end`, which holds no blocks. @returns {MarkdownNode[]} */
function spans(
  /** @type {string} */ text,
  /** @type {number} */ start,
  /** @type {number} */ end,
  /** @type {readonly Atom[]} */ atoms,
) {
  /** @type {MarkdownNode[]} */
  const made = [];
  let [from, at] = [start, start];
  const add = (/** @type {number} */ upto, /** @type {MarkdownNode | null} */ node) => {
    if (at > from) made.push({ kind: "text", text: text.slice(from, at).replace(LINE_END, "\n") });
    if (node) made.push(node);
    from = at = upto;
  };
  while (at < end) {
    const atom = atoms.find((one) => one.start === at && one.end <= end);
    const found = atom ?? spanAt(text, at, end, atoms);
    if (found) add(found.end, found.node);
    else at += 1;
  }
  add(end, null);
  return made;
}

/**
 * The code, link or emphasis that begins at `at`; null if none does.
 * @returns {{ end: number, node: MarkdownNode } | null}
 */
function spanAt(
  /** @type {string} */ text,
  /** @type {number} */ at,
  /** @type {number} */ end,
  /** @type {readonly Atom[]} */ atoms,
) {
  const sign = text[at];
  if (sign === "`") {
    const code = matchAt(CODE, text, at, end);
    return code && { end: at + code[0].length, node: { kind: "code", text: code[2] } };
  }
  if (sign === "[") return wordedLink(text, at, end);
  // Inside a word these signs are text: 2*3*4, snake_case.
  const before = sign === "_" ? /[\p{L}\p{N}_]/u : /\w/;
  if (!"*_~".includes(sign) || before.test(text[at - 1] ?? " ")) return null;
  for (const [kind, pattern] of SPANS) {
    const match = matchAt(pattern, text, at, end);
    if (!match) continue;
    const mark = match[0].indexOf(match[1]);
    const children = spans(text, at + mark, at + mark + match[1].length, atoms);
    return { end: at + match[0].length, node: { kind, children } };
  }
  return null;
}

/**
 * Whether words look like an address, read as people see them: without invisible signs, and with every sign that
 * looks like a dot, a colon or a slash as one.
 */
const looksLikeAddress = (/** @type {string} */ words) =>
  /[./:@\\]\S/.test(
    words
      .normalize("NFKC")
      .replace(/[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Cf}\p{Cc}]/gu, "")
      .replace(DOTS, ".")
      .replace(COLONS, ":")
      .replace(SLASHES, "/"),
  );

/**
 * A link with words, `[words](url)`. Words that look like an address could lie about where the link leads, so
 * such a link stays text.
 * @returns {{ end: number, node: MarkdownNode } | null}
 */
function wordedLink(/** @type {string} */ text, /** @type {number} */ at, /** @type {number} */ end) {
  const match = matchAt(WORDED_LINK, text, at, end);
  if (!match || looksLikeAddress(match[1]) || !URL.canParse(match[2])) return null;
  const node = {
    kind: /** @type {const} */ ("link"),
    href: match[2],
    children: [{ kind: /** @type {const} */ ("text"), text: match[1] }],
  };
  return { end: at + match[0].length, node };
}

function matchAt(
  /** @type {RegExp} */ pattern,
  /** @type {string} */ text,
  /** @type {number} */ at,
  /** @type {number} */ end,
) {
  pattern.lastIndex = at;
  const match = pattern.exec(text);
  return match && at + match[0].length <= end ? match : null;
}
