/**
 * Requests of the guide in other languages: from lines for a shell, which are the ones that tests run, to JavaScript
 * and Python.
 *
 * Pure. Knows the forms of `curl` that the guide uses; of anything else, nothing is made.
 */

/**
 * @typedef {object} Request
 * @property {string} method
 * @property {Text} url
 * @property {[name: string, value: Text][]} headers
 * @property {[name: string, value: Text][]} query
 * @property {[name: string, value: Text][]} form fields of a form that is the body
 * @property {Text | null} json a body in JSON
 * @property {Text | null} bytes a body that is sent as it is
 * @property {string | null} file where the answer is kept
 */
/** Pieces of a word: text, and names of variables. @typedef {({ text: string } | { name: string })[]} Text */
/**
 * What a line does: a request, a variable whose value the reader takes from an answer, or a text that is shown.
 * @typedef {Request | string | { shown: Text }} Step
 */

/** Where a variable stands in a text that is read as JSON. */
const HOLE = /\ue000(\w+)\ue001/g;
/** A line; texts in quotes go over several. */
const LINE = /(?:'[^']*'|"(?:[^"\\]|\\.)*"|[^'"\n])+/g;

/** The steps of lines for a shell; null if one is none that is known. @returns {Step[] | null} */
export function stepsOf(/** @type {string} */ shell) {
  /** @type {Step[]} */
  const steps = [];
  for (const [line] of shell.replaceAll(/\\\n|\|\n/g, (end) => end.replace(/\\?\n/, " ")).matchAll(LINE)) {
    const variable = /^([A-Z]+)=…$/.exec(line.trim());
    const step = variable ? variable[1] : stepOf(line);
    if (step === null) return null;
    steps.push(step);
  }
  return steps.some((step) => typeof step !== "string" && "url" in step) ? steps : null;
}

/** A text that is shown, or a request; the text may be what the request sends. @returns {Step | null} */
function stepOf(/** @type {string} */ line) {
  const [, program, sent, request] = /^\s*(echo|printf) ("[^"]*") \|\s+(curl .*)$/s.exec(line) ?? [];
  if (request) return requestOf(request, wordsOf(program === "echo" ? `${sent}'\n'` : sent)?.[0]);
  const words = wordsOf(line);
  if (words && isText(words[0], /^echo$/) && words.length === 2) return { shown: words[1] };
  return words && requestOf(line);
}

/** The words of a line, without their quotes; null if the shell would do more with it. @returns {Text[] | null} */
function wordsOf(/** @type {string} */ line) {
  /** @type {Text[]} */
  const words = [];
  let isInWord = false;
  const add = (/** @type {Text[number]} */ piece) => {
    if (isInWord) words.at(-1)?.push(piece);
    else words.push([piece]);
    isInWord = true;
  };
  const part = /\s+|'([^']*)'|"((?:[^"\\$`]|\$[A-Z]+)*)"|\$([A-Z]+)|([^\s'"$|<>`\\]+)|./gy;
  for (const [whole, single, double, name, bare] of line.trim().matchAll(part)) {
    if (/^\s/.test(whole)) isInWord = false;
    else if (single !== undefined) add({ text: single });
    else if (double !== undefined)
      for (const piece of double.split(/(\$[A-Z]+)/).filter((one) => one !== ""))
        add(piece.startsWith("$") ? { name: piece.slice(1) } : { text: piece });
    else if (name !== undefined) add({ name });
    else if (bare !== undefined) add({ text: bare });
    else return null;
  }
  return words;
}

const isText = (/** @type {Text | undefined} */ word, /** @type {RegExp} */ pattern) =>
  word?.length === 1 && "text" in word[0] && pattern.test(word[0].text) ? word[0].text : null;

const isField = (/** @type {Text} */ word) => "text" in word[0] && /^[a-z_]+=/.test(word[0].text);

/** A word at a character, in two. @returns {[string, Text]} */
function split(/** @type {Text} */ word, /** @type {string} */ at) {
  const [first, ...rest] = word;
  if (!("text" in first)) return ["", word];
  const [name, ...value] = first.text.split(at);
  return [name.trim(), [{ text: value.join(at).trimStart() }, ...rest]];
}

/** A request of curl; `sent` is what it reads. @returns {Request | null} */
function requestOf(/** @type {string} */ line, /** @type {Text | undefined} */ sent = undefined) {
  const words = wordsOf(line);
  if (!words || !isText(words[0], /^curl$/)) return null;
  /** @type {Request} */
  const request = {
    method: "",
    url: [],
    headers: [],
    query: [],
    form: [],
    json: null,
    bytes: sent ?? null,
    file: null,
  };
  let isQuery = false;
  for (let at = 1; at < words.length; at += 1) {
    const option = isText(words[at], /^-/);
    if (option === "-G") isQuery = true;
    else if (option === null && request.url.length === 0) request.url = words[at];
    else {
      at += 1;
      const value = words[at];
      if (!value || !takes(request, option ?? "", value, isQuery)) return null;
    }
  }
  if (request.url.length === 0) return null;
  request.method ||= request.json || request.bytes || request.form.length > 0 ? "POST" : "GET";
  return request;
}

/** Notes the value of an option; false if it is none of those that the guide uses. */
function takes(
  /** @type {Request} */ request,
  /** @type {string} */ option,
  /** @type {Text} */ value,
  /** @type {boolean} */ isQuery,
) {
  if (option === "-X") request.method = isText(value, /^[A-Z]+$/) ?? "";
  else if (option === "-H") request.headers.push(split(value, ":"));
  else if (isQuery && ["-d", "--data-urlencode"].includes(option)) request.query.push(split(value, "="));
  else if (option === "-d" && jsonOf(value) !== undefined) request.json = value;
  else if (option === "-d" && isField(value)) request.form.push(split(value, "="));
  else if (option === "--data-binary" && request.bytes) return isText(value, /^@-$/) !== null;
  else if (option === "-o") request.file = isText(value, /^[\w.]+$/);
  else return false;
  return true;
}

/** The JSON of a body, with holes for variables; undefined if it is none. */
function jsonOf(/** @type {Text} */ body) {
  const text = body.map((piece) => ("text" in piece ? piece.text : `\ue000${piece.name}\ue001`)).join("");
  try {
    // A variable that stands for a number becomes a text of its own.
    return JSON.parse(text.replace(/([:[,]\s*)\ue000(\w+)\ue001/g, '$1"\ue000$2\ue001"'));
  } catch {
    return undefined;
  }
}

/**
 * How a language writes things.
 * @typedef {object} Tongue
 * @property {(text: Text) => string} string
 * @property {Record<string, string>} words those that differ from JSON
 * @property {boolean} hasQuotedKeys
 */

/** @type {Tongue} */
const JAVASCRIPT = {
  string(text) {
    const [only] = text;
    if (text.length === 1 && "name" in only) return only.name;
    if (text.every((piece) => "text" in piece)) return JSON.stringify(joined(text));
    const inside = text.map((piece) => ("text" in piece ? escaped(piece.text) : `\${${piece.name}}`));
    return `\`${inside.join("")}\``;
  },
  words: {},
  hasQuotedKeys: false,
};

/** @type {Tongue} */
const PYTHON = {
  string(text) {
    const [only] = text;
    if (text.length === 1 && "name" in only) return only.name;
    if (text.every((piece) => "text" in piece)) return JSON.stringify(joined(text));
    const quoted = (/** @type {string} */ words) =>
      JSON.stringify(words).slice(1, -1).replace(/[{}]/g, "$&$&");
    return `f"${text.map((piece) => ("text" in piece ? quoted(piece.text) : `{${piece.name}}`)).join("")}"`;
  },
  words: { true: "True", false: "False", null: "None" },
  hasQuotedKeys: true,
};

const joined = (/** @type {Text} */ text) =>
  text.map((piece) => ("text" in piece ? piece.text : "")).join("");
const escaped = (/** @type {string} */ text) => text.replace(/[\\`]|\$(?=\{)/g, "\\$&");

/** A text with holes, in pieces. @returns {Text} */
const pieces = (/** @type {string} */ text) => {
  const parts = text.split(HOLE);
  const all = parts.map((part, at) => (at % 2 === 1 ? { name: part } : { text: part }));
  const said = all.filter((piece) => "name" in piece || piece.text !== "");
  return said.length > 0 ? said : [{ text: "" }];
};

/** The most characters of a line that is not split: what fits beside the words of the guide. */
const WIDEST = 56;

/** A value as a language writes it: in one line if there is room. */
function value(/** @type {unknown} */ it, /** @type {Tongue} */ tongue, /** @type {string} */ indent) {
  if (typeof it === "string") return tongue.string(pieces(it));
  if (typeof it !== "object" || it === null) return tongue.words[String(it)] ?? String(it);
  const [open, close] = Array.isArray(it) ? "[]" : "{}";
  const deeper = `${indent}    `;
  const entry = (/** @type {[string, unknown]} */ [key, one]) => {
    const name = tongue.hasQuotedKeys || !/^\w+$/.test(key) ? JSON.stringify(key) : key;
    return `${Array.isArray(it) ? "" : `${name}: `}${value(one, tongue, deeper)}`;
  };
  /** @type {string[]} */
  const entries = Object.entries(it).map(entry);
  const padding = open === "{" && !tongue.hasQuotedKeys && entries.length > 0 ? " " : "";
  const line = `${open}${padding}${entries.join(", ")}${padding}${close}`;
  if (indent.length + line.length <= WIDEST && !line.includes("\n")) return line;
  return `${open}\n${entries.map((one) => `${deeper}${one},\n`).join("")}${indent}${close}`;
}

/** Names and values, as an object with holes. */
const objectOf = (/** @type {[string, Text][]} */ entries) =>
  Object.fromEntries(
    entries.map(([name, text]) => [
      name,
      text.map((piece) => ("text" in piece ? piece.text : `\ue000${piece.name}\ue001`)).join(""),
    ]),
  );

/** Steps in JavaScript, as browsers and Node run it. */
export function inJavaScript(/** @type {Step[]} */ steps) {
  const tongue = JAVASCRIPT;
  return steps
    .map((step) => {
      if (typeof step === "string") return `const ${step} = "…"; // from the answer`;
      if ("shown" in step) return `console.log(${tongue.string(step.shown)});`;
      const { method, url, headers, query, form, json, bytes, file } = step;
      const options = [
        method !== "GET" && `    method: "${method}",`,
        headers.length > 0 && `    headers: ${value(objectOf(headers), tongue, "    ")},`,
        json && `    body: JSON.stringify(${value(jsonOf(json), tongue, "    ")}),`,
        form.length > 0 && `    body: new URLSearchParams(${value(objectOf(form), tongue, "    ")}),`,
        bytes && `    body: ${tongue.string(bytes)},`,
      ].filter((line) => line !== false && line !== null);
      const asked =
        query.length > 0 ? [`const query = new URLSearchParams(${value(objectOf(query), tongue, "")});`] : [];
      const address = tongue.string(query.length > 0 ? [...url, { text: "?" }, { name: "query" }] : url);
      const rest = options.length > 0 ? `, {\n${options.join("\n")}\n}` : "";
      const answer = file ? `answer.blob()); // ${file}` : "answer.json());";
      return [...asked, `await fetch(${address}${rest}).then((answer) => ${answer}`].join("\n");
    })
    .join("\n");
}

/** Steps in Python, with the library `requests`. */
export function inPython(/** @type {Step[]} */ steps) {
  const tongue = PYTHON;
  return steps
    .map((step) => {
      if (typeof step === "string") return `${step} = "…"  # from the answer`;
      if ("shown" in step) return `print(${tongue.string(step.shown)})`;
      const { method, url, headers, query, form, json, bytes, file } = step;
      // The library says by itself that a body is JSON.
      const own = headers.filter(([name]) => !(json && name.toLowerCase() === "content-type"));
      const options = [
        `    ${tongue.string(url)},`,
        own.length > 0 && `    headers=${value(objectOf(own), tongue, "    ")},`,
        query.length > 0 && `    params=${value(objectOf(query), tongue, "    ")},`,
        json && `    json=${value(jsonOf(json), tongue, "    ")},`,
        form.length > 0 && `    data=${value(objectOf(form), tongue, "    ")},`,
        bytes && `    data=${tongue.string(bytes)},`,
      ].filter((line) => line !== false && line !== null);
      const request = `requests.${method.toLowerCase()}(\n${options.join("\n")}\n)`;
      return file ? `open("${file}", "wb").write(${request}.content)` : `${request}.json()`;
    })
    .join("\n");
}
