/**
 * Tries an operation on this server: a form for its parameters and body, and the answer as it came.
 *
 * Makes requests to this server only, with the token in the form's field: that of this browser's session, or
 * another one. The requests take real effect, which the page says.
 */

import { fillWith, h } from "../js/ui/dom.js";

/**
 * @typedef {import("./schema.js").Schema} Schema
 * @typedef {{ name: string, in: string, required: boolean, schema: Schema }} Parameter
 * @typedef {object} Tried
 * @property {string} method in capital letters
 * @property {string} path with parameter names in braces
 * @property {Parameter[]} parameters
 * @property {Schema | null} body
 * @property {boolean} needsToken
 */

/** Where the web client keeps the token of its session. */
const TOKEN = "coterie.token";
/** The most characters of an answer that are shown. */
const SHOWN_MOST = 20_000;
/** The depth at which an example ends, since schemas may refer to themselves. */
const DEEPEST = 4;

let made = 0;

/** An example of a schema, with only its required fields if it names any. @returns {unknown} */
export function example(
  /** @type {Schema} */ schema,
  /** @type {Record<string, Schema>} */ named,
  depth = 0,
) {
  if (depth > DEEPEST) return null;
  const { $ref, const: only, enum: some, anyOf, oneOf, type, properties = {}, required = [] } = schema;
  const next = (/** @type {Schema} */ one) => example(one, named, depth + 1);
  if ($ref) return next(named[$ref.split("/").at(-1) ?? ""] ?? {});
  if (only !== undefined) return only;
  if (some) return some[0];
  const [first] = anyOf ?? oneOf ?? [];
  // Beside properties, a choice only says which of them are required.
  if (first && Object.keys(properties).length === 0) return next(first);
  const needed = [...required, ...(first?.required ?? [])];
  switch ([type].flat()[0]) {
    case "object":
      return Object.fromEntries(
        Object.entries(properties)
          .filter(([name]) => needed.includes(name) || needed.length === 0)
          .map(([name, of]) => [name, next(of)]),
      );
    case "array":
      return [];
    case "integer":
    case "number":
      return schema.minimum ?? 0;
    case "boolean":
      return false;
    case "string":
      return "";
    default:
      return null;
  }
}

/** The form that tries an operation. @returns {HTMLElement} */
export function tryIt(/** @type {Tried} */ told, /** @type {Record<string, Schema>} */ named) {
  const fields = told.parameters.map((one) => ({ ...one, ...line(one.name, one.required) }));
  const token = line("access token", told.needsToken);
  token.input.type = "password";
  token.input.autocomplete = "off";
  token.input.value = kept();
  made += 1;
  const id = `body-${made}`;
  const body = h("textarea", { class: "input try-body", id, rows: 6, spellcheck: "false" });
  if (told.body) body.value = JSON.stringify(example(told.body, named), null, 2);
  const answer = h("div", { class: "try-answer", role: "status" });
  const act = told.method === "GET" ? "Send" : `Send this ${told.method}`;
  const submit = h("button", { class: "button", type: "submit" }, act);
  const form = h(
    "form",
    { class: "try", novalidate: true },
    token.node,
    ...fields.map(({ node }) => node),
    told.body && h("div", { class: "field" }, h("label", { class: "label", for: id }, "body"), body),
    h("p", { class: "hint" }, "Asks this server, as the user of the token. What you send really happens."),
    h("div", {}, submit),
    answer,
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const values = fields.map(({ name, in: where, input }) => ({ name, where, value: input.value.trim() }));
    fillWith(answer, h("p", { class: "quiet" }, "Asking…"));
    try {
      fillWith(answer, ...(await asked(told, values, token.input.value.trim(), body.value)));
    } catch (error) {
      fillWith(answer, h("p", { class: "alert" }, error instanceof Error ? error.message : String(error)));
    }
  });
  return h("div", {}, h("h3", {}, "Try it"), form);
}

/** Makes the request, and returns the elements that show its answer. @returns {Promise<HTMLElement[]>} */
async function asked(
  /** @type {Tried} */ { method, path, body },
  /** @type {{ name: string, where: string, value: string }[]} */ values,
  /** @type {string} */ token,
  /** @type {string} */ text,
) {
  const missing = values.find(({ where, value }) => where === "path" && value === "");
  if (missing) throw new Error(`{${missing.name}} is needed.`);
  let url = path;
  for (const { name, where, value } of values)
    if (where === "path") url = url.replace(`{${name}}`, encodeURIComponent(value));
  const query = new URLSearchParams();
  for (const { name, where, value } of values)
    if (where === "query" && value !== "") query.append(name, value);
  if (query.size > 0) url += `?${query}`;
  const headers = new Headers();
  if (token) headers.set("X-Access-Token", token);
  for (const { name, where, value } of values)
    if (where === "header" && value !== "") headers.set(name, value);
  if (body) headers.set("Content-Type", "application/json");
  const started = performance.now();
  const answer = await fetch(url, { method, headers, body: body ? text : undefined, cache: "no-store" });
  const said = await answer.text();
  const took = Math.round(performance.now() - started);
  return [
    h("p", {}, h("code", {}, `${method} ${url}`), ` ${answer.status} ${answer.statusText}, ${took} ms`),
    said && h("pre", { tabindex: "0" }, h("code", {}, pretty(said).slice(0, SHOWN_MOST))),
  ].filter((one) => one instanceof HTMLElement);
}

function pretty(/** @type {string} */ text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function line(/** @type {string} */ name, /** @type {boolean} */ isNeeded) {
  made += 1;
  const id = `try-${made}`;
  const input = h("input", { class: "input", id, autocomplete: "off", spellcheck: "false" });
  const optional = isNeeded ? null : h("span", { class: "quiet" }, " optional");
  const label = h("label", { class: "label", for: id }, name, optional);
  return { node: h("div", { class: "field" }, label, input), input };
}

/** The token of the session in this browser; empty without one. */
function kept() {
  try {
    return localStorage.getItem(TOKEN) ?? "";
  } catch {
    return "";
  }
}
