/**
 * Finds the texts in the client's sources that people would see or hear, and that go round `t`.
 *
 * Knows where such texts stand: as children of an element, in certain attributes and options, in `setText`, and
 * in what functions named `…Words` return. Splits sources only as far as that needs.
 */

/** The attributes and options whose values are shown or read aloud. */
const SHOWN = [
  "aria-label",
  "title",
  "placeholder",
  "alt",
  "label",
  "words",
  "act",
  "hint",
  "aria-description",
];

const TEXT =
  /"(?:[^"\\\n]|\\.)*"|`(?:[^`\\$]|\\.|\$(?!\{)|\$\{(?:[^`{}]|\{[^{}]*\}|`[^`]*`)*\})*`|'(?:[^'\\\n]|\\.)*'/y;
const REGEX = /\/(?![*/])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y;

/** The source with every text replaced by a mark of the same length, and the texts by their place. */
function apart(/** @type {string} */ source) {
  /** @type {Map<number, string>} */
  const texts = new Map();
  let bare = "";
  for (let at = 0; at < source.length; ) {
    const isOperand = /[(,=:[!&|?{};]\s*$/.test(bare.slice(-40));
    const found = match(TEXT, source, at) ?? (isOperand ? match(REGEX, source, at) : null);
    if (found && found[0] !== "/") texts.set(at, found);
    bare += found ? "\u0001".repeat(found.length) : source[at];
    at += found?.length ?? 1;
  }
  return { bare, texts };
}

function match(/** @type {RegExp} */ pattern, /** @type {string} */ source, /** @type {number} */ at) {
  pattern.lastIndex = at;
  return pattern.exec(source)?.[0] ?? null;
}

/** Where what begins at `from` ends: at a comma or a closing bracket of its own level. */
function endOf(/** @type {string} */ bare, /** @type {number} */ from) {
  let depth = 0;
  for (let at = from; at < bare.length; at += 1) {
    if ("([{".includes(bare[at])) depth += 1;
    else if (")]}".includes(bare[at]) && depth-- === 0) return at;
    else if (",;".includes(bare[at]) && depth === 0) return at;
  }
  return bare.length;
}

/** The arguments of the call whose bracket opens before `from`, each as the places of its beginning and end. */
function argumentsAt(/** @type {string} */ bare, /** @type {number} */ from) {
  /** @type {[number, number][]} */
  const all = [];
  for (let at = from; bare[at - 1] !== ")" && at < bare.length; ) {
    const end = endOf(bare, at);
    all.push([at, end]);
    at = end + 1;
  }
  return all;
}

/** A text without its quotes, and with `{}` for each value that is filled in. */
const plain = (/** @type {string} */ text) => text.slice(1, -1).replace(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, "{}");

const saysWords = (/** @type {string} */ text) => /\p{L}/u.test(plain(text).replace(/\\./g, ""));

/** The texts of a source, without comments, that are shown and not passed through `t`. @returns {string[]} */
export function shownLiterals(/** @type {string} */ source) {
  const { bare, texts } = apart(source);
  /** @type {Set<number>} */
  const found = new Set();

  /** The texts that an expression may be worth: itself, or a branch of it. */
  function look(/** @type {number} */ from, /** @type {number} */ to) {
    for (const [at, text] of texts) {
      if (at < from || at >= to || !saysWords(text)) continue;
      const before = bare.slice(from, at);
      const isTop = depthOf(before) === 0;
      const isValue = /(^|&&|\|\||\?\?|\?|:|\(|\+|=>)\s*$/.test(before);
      const isCompared = /^\s*[!=]==/.test(bare.slice(at + text.length));
      if (isTop && isValue && !isCompared) found.add(at);
    }
  }

  for (const { index, 0: call } of bare.matchAll(/(?<![\w.])(?:h|fillWith|setText)\(/g)) {
    const all = argumentsAt(bare, index + call.length);
    const skipped = call === "h(" ? 2 : 1;
    for (const [from, to] of all.slice(skipped)) look(from, to);
  }
  for (const name of SHOWN) {
    for (const [at, text] of texts) {
      if (text.slice(1, -1) !== name) continue;
      const after = /^\s*[:,]/.exec(bare.slice(at + text.length));
      if (after) look(at + text.length + after[0].length, endOf(bare, at + text.length + after[0].length));
    }
    for (const { index, 0: key } of bare.matchAll(new RegExp(`(?<![\\w.-])${name}:`, "g"))) {
      look(index + key.length, endOf(bare, index + key.length));
    }
  }
  for (const { index, 0: key } of bare.matchAll(/\.(?:textContent|title|placeholder|alt) = /g)) {
    look(index + key.length, endOf(bare, index + key.length));
  }
  for (const { index, 0: head } of bare.matchAll(/function \w*[wW]ords\(/g)) {
    const end = bare.indexOf("\n}", index);
    for (const { index: at, 0: word } of bare.slice(index + head.length, end).matchAll(/\breturn /g)) {
      const from = index + head.length + at + word.length;
      look(from, endOf(bare, from));
    }
  }
  return [...found].sort((a, b) => a - b).map((at) => plain(texts.get(at) ?? ""));
}

function depthOf(/** @type {string} */ bare) {
  let depth = 0;
  for (const sign of bare) {
    if ("([{".includes(sign)) depth += 1;
    else if (")]}".includes(sign)) depth -= 1;
  }
  return depth;
}
