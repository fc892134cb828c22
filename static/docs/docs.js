/**
 * The API reference: every operation of /openapi.json, by section, and every schema.
 *
 * Owns reading the document and laying it out. Makes requests to this server only.
 */

import { fillWith, h } from "../js/ui/dom.js";
import { dressExamples } from "./code_blocks.js";
import { fillContents } from "./contents.js";
import { field, fields, kind, placeOf, words } from "./schema.js";
import { createSearch } from "./search.js";
import { tryIt } from "./try.js";

/**
 * @typedef {import("./schema.js").Schema} Schema
 * @typedef {{ schema: Schema }} Media
 * @typedef {{ name: string, in: string, required: boolean, description?: string, schema: Schema }} Parameter
 * @typedef {{ description: string, content?: Record<string, Media> }} Answer
 * @typedef {{
 *   operationId: string, tags: string[], summary: string, description?: string,
 *   parameters: Parameter[], responses: Record<string, Answer>, security?: [],
 *   requestBody?: { content: Record<string, Media> }, "x-scopes"?: string[],
 * }} Operation
 * @typedef {{
 *   tags: { name: string }[],
 *   paths: Record<string, Record<string, Operation>>,
 *   components: { schemas: Record<string, Schema>, responses: Record<string, Answer> },
 * }} Document
 */

/** Replaces each reference to a response that several operations have by that response. */
function resolveResponses(/** @type {Document} */ { paths, components }) {
  for (const { responses } of Object.values(paths).flatMap((methods) => Object.values(methods))) {
    for (const [status, told] of Object.entries(responses)) {
      const name = "$ref" in told ? String(told.$ref).split("/").at(-1) : undefined;
      if (name) responses[status] = components.responses[name];
    }
  }
}

/** A schema that an operation has for itself is named after it, as in GetV3Groups200. */
const MADE_NAME = /^(Get|Post|Put|Patch|Delete)[A-Z].*\d{3}/;

/**
 * Puts the schemas that `isMeant` accepts in the place of the references to them.
 * @template T
 * @returns {T}
 */
function inline(
  /** @type {T} */ value,
  /** @type {Record<string, Schema>} */ named,
  /** @type {(name: string) => boolean} */ isMeant,
) {
  if (Array.isArray(value)) return /** @type {T} */ (value.map((one) => inline(one, named, isMeant)));
  if (typeof value !== "object" || value === null) return value;
  const { $ref, ...beside } = /** @type {Record<string, unknown>} */ (value);
  const name = typeof $ref === "string" ? ($ref.split("/").at(-1) ?? "") : "";
  const meant = name !== "" && isMeant(name) ? inline(named[name], named, isMeant) : null;
  const others = Object.entries(meant ? beside : value).map(([key, one]) => [
    key,
    inline(one, named, isMeant),
  ]);
  return /** @type {T} */ ({ ...meant, ...Object.fromEntries(others) });
}

/** A part of an operation under its own heading; false if it is empty. */
function part(/** @type {string} */ title, /** @type {(Node | null)[]} */ ...inside) {
  const present = inside.filter((it) => it !== null);
  return present.length > 0 && h("div", {}, h("h3", {}, title), ...present);
}

function parameters(/** @type {Operation} */ operation) {
  if (operation.parameters.length === 0) return null;
  const rows = operation.parameters.flatMap((it) =>
    field(it.in === "path" ? `{${it.name}}` : it.name, it.schema, it),
  );
  return h("dl", { class: "fields" }, ...rows);
}

/** One answer of an operation: its status, its description and the fields that it carries. */
function answer(
  /** @type {string} */ status,
  /** @type {Answer} */ { description, content },
  /** @type {Record<string, Schema>} */ named,
) {
  const told = content?.["application/json"]?.schema;
  const isEnvelope = (/** @type {string} */ name) => /Envelope\d*$|^Refusal\d+$/.test(name);
  const whole =
    told && (isEnvelope(told.$ref?.split("/").at(-1) ?? "") ? inline(told, named, isEnvelope) : told);
  const schema = whole && inline(whole, named, (name) => MADE_NAME.test(name));
  const payload = schema?.properties?.response ?? (status < "300" ? schema : undefined);
  const carries = payload && payload.type !== "null" ? [" Carries ", ...kind(payload), "."] : [];
  return [
    h("dt", {}, h("code", {}, status)),
    h("dd", {}, ...words(description), ...carries, payload ? fields(payload) : null),
  ];
}

/**
 * Whether an operation can be tried: it takes JSON or no body, and answers once, without a stream or an
 * upgrade.
 */
function isTried(/** @type {Operation} */ { requestBody, responses }) {
  const takes = Object.keys(requestBody?.content ?? {});
  const gives = Object.entries(responses).flatMap(([status, { content }]) => [
    status,
    ...Object.keys(content ?? {}),
  ]);
  return (
    (takes.length === 0 || takes.includes("application/json")) &&
    !gives.includes("101") &&
    !gives.includes("text/event-stream")
  );
}

function operation(
  /** @type {string} */ method,
  /** @type {string} */ path,
  /** @type {Operation} */ told,
  /** @type {Record<string, Schema>} */ named,
) {
  const sent = Object.values(told.requestBody?.content ?? {})[0]?.schema;
  // The parts of a body are named after it.
  const own = sent?.$ref?.split("/").at(-1) ?? "";
  const body = sent && inline(sent, named, (name) => own !== "" && name.startsWith(own));
  const answers = Object.entries(told.responses).flatMap(([status, it]) => answer(status, it, named));
  const inside = h("div", { class: "inside" });
  inside.append(
    ...[
      told.description && h("p", {}, ...words(told.description)),
      told.security && h("p", { class: "quiet" }, "Needs no token."),
      told["x-scopes"] && h("p", { class: "quiet" }, "Scope: ", ...scopeLinks(told["x-scopes"])),
      part("Parameters", parameters(told)),
      part("Body", body ? fields(body) : null),
      part("Answers", h("dl", { class: "fields" }, ...answers)),
    ].filter((one) => one instanceof Node),
  );
  // The form is made when the operation is opened, since most are never tried.
  const open = () => {
    if (!isTried(told) || inside.querySelector(".try")) return;
    const { parameters } = told;
    const facts = { method: method.toUpperCase(), path, parameters, body: body ?? null };
    inside.append(tryIt({ ...facts, needsToken: !told.security }, named));
  };
  return h(
    "details",
    { class: "operation", id: told.operationId, ontoggle: open },
    h(
      "summary",
      {},
      h("code", { class: "method" }, method.toUpperCase()),
      h("code", {}, path),
      h("span", { class: "quiet" }, told.summary),
    ),
    inside,
  );
}

/** The names of scopes of which one is needed, each with a link to the table. */
const scopeLinks = (/** @type {string[]} */ scopes) =>
  scopes.flatMap((scope, at) => [at > 0 ? " or " : "", h("a", { href: "#scopes" }, h("code", {}, scope))]);

/** Fills the table of scopes with the operations that need each. */
function fillScopes(/** @type {Document} */ { paths }) {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, told]) => ({ path, method: method.toUpperCase(), told })),
  );
  for (const cell of document.querySelectorAll("[data-scope]")) {
    const scope = cell.getAttribute("data-scope") ?? "";
    const needing = operations.filter(({ told }) => told["x-scopes"]?.includes(scope));
    const links = needing.map(({ path, method, told }) =>
      h("li", {}, h("a", { href: `#${told.operationId}` }, h("code", {}, `${method} ${path}`))),
    );
    cell.append(h("details", {}, h("summary", {}, `${links.length} requests`), h("ul", {}, ...links)));
  }
}

function section(/** @type {Document} */ { paths, components }, /** @type {string} */ tag) {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, told]) => told.tags.includes(tag))
      .map(([method, told]) => operation(method, path, told, components.schemas)),
  );
  return h("section", { id: tag, "aria-label": tag }, h("h2", {}, tag), ...operations);
}

function schemas(/** @type {Document} */ { components }) {
  const shared = Object.entries(components.schemas).filter(([name]) => !MADE_NAME.test(name));
  const all = shared.map(([name, schema]) =>
    h(
      "details",
      { class: "schema", id: placeOf(name) },
      h("summary", {}, h("code", {}, name)),
      h(
        "div",
        { class: "inside" },
        schema.description && h("p", {}, ...words(schema.description)),
        fields(schema),
      ),
    ),
  );
  return h("section", { id: "Schemas", "aria-label": "Schemas" }, h("h2", {}, "Schemas"), ...all);
}

/** Opens the entry that the address names, so that a link to it shows it. */
function openNamed() {
  const named = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!(named instanceof HTMLDetailsElement)) return;
  named.open = true;
  named.scrollIntoView();
  named.querySelector("summary")?.focus();
}

async function show() {
  for (const place of document.querySelectorAll("[data-origin]")) place.textContent = location.origin;
  const guide = /** @type {HTMLElement} */ (document.getElementById("guide"));
  dressExamples(guide);
  const reference = /** @type {HTMLElement} */ (document.getElementById("reference"));
  const answer = await fetch("/openapi.json");
  if (!answer.ok) throw new Error(`/openapi.json: ${answer.status}`);
  const told = /** @type {Document} */ (await answer.json());
  resolveResponses(told);
  fillScopes(told);
  const names = told.tags.map((tag) => tag.name);
  fillWith(reference, ...names.map((name) => section(told, name)), schemas(told));
  const links = [...names, "Schemas"].map((name) => h("li", {}, h("a", { href: `#${name}` }, name)));
  document.getElementById("sections")?.append(...links);
  const contents = document.getElementById("contents");
  if (contents) fillContents(contents, guide, [...names, "Schemas"]);
  guide.before(createSearch(guide, reference).node);
  openNamed();
  addEventListener("hashchange", openNamed);
}

show().catch((error) => {
  const reference = /** @type {HTMLElement} */ (document.getElementById("reference"));
  fillWith(reference, h("p", { role: "alert" }, `The reference cannot be shown: ${error.message}`));
});
