/**
 * JSON Schema for people: the type of a value, and the fields of an object.
 *
 * Owns the words for schemas. Knows only the forms that this server's document uses; everything is set as
 * text, so nothing in the document becomes markup.
 */

import { h } from "../js/ui/dom.js";

/**
 * @typedef {{
 *   $ref?: string, type?: string | string[], const?: unknown, enum?: unknown[],
 *   items?: Schema, properties?: Record<string, Schema>, required?: string[],
 *   anyOf?: Schema[], oneOf?: Schema[], description?: string,
 *   minimum?: number, maximum?: number, default?: unknown,
 *   minLength?: number, maxLength?: number, maxItems?: number,
 * }} Schema
 * @typedef {string | Node} Part
 */

/** The id of a schema's element on this page. */
export const placeOf = (/** @type {string} */ name) => `schema-${name}`;

/** The type of a value in a few words; names of schemas are links. @returns {Part[]} */
export function kind(/** @type {Schema} */ schema) {
  if (schema.$ref) {
    const name = schema.$ref.split("/").at(-1) ?? "";
    return [h("a", { href: `#${placeOf(name)}` }, name)];
  }
  if (schema.const !== undefined) return [`always ${JSON.stringify(schema.const)}`];
  if (schema.enum) return [schema.enum.map((value) => JSON.stringify(value)).join(", ")];
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return choices.flatMap((choice, at) => (at ? [" or ", ...kind(choice)] : kind(choice)));
  if (schema.type === "array") return ["list of ", ...kind(schema.items ?? {})];
  const types = schema.type ? [schema.type].flat() : ["anything"];
  return [types.join(" or ")];
}

/** A sentence of the document, with text in backticks shown as code. @returns {Part[]} */
export function words(/** @type {string} */ sentence) {
  return sentence.split("`").map((part, at) => (at % 2 ? h("code", {}, part) : part));
}

/** The limits of a value in words; empty when there are none. */
function bounds(/** @type {Schema} */ schema) {
  const told = [
    schema.minLength && `at least ${schema.minLength} characters`,
    schema.maxLength && `at most ${schema.maxLength} characters`,
    schema.maxItems && `at most ${schema.maxItems}`,
    schema.minimum !== undefined && `from ${schema.minimum}`,
    schema.maximum !== undefined && `to ${schema.maximum}`,
    schema.default !== undefined && `${schema.default} unless given`,
  ];
  return told.filter(Boolean).join(", ");
}

/**
 * The description list entry of a field: its name, its type, and its own fields below.
 * @returns {HTMLElement[]}
 */
export function field(
  /** @type {string} */ name,
  /** @type {Schema} */ schema,
  /** @type {{ required: boolean, description?: string }} */ { required, description },
) {
  const limits = bounds(schema);
  const what = description ?? schema.description;
  return [
    h("dt", {}, h("code", {}, name), required ? "" : h("span", { class: "quiet" }, " optional")),
    h(
      "dd",
      {},
      ...kind(schema),
      limits ? `, ${limits}` : "",
      ...words(what ? `. ${what}` : ""),
      fields(schema),
    ),
  ];
}

/**
 * The fields of an object, of the objects in a list, or of each alternative; null if there are none.
 * @returns {Node | null}
 */
export function fields(/** @type {Schema} */ schema) {
  if (schema.type === "array") return fields(schema.items ?? {});
  if (schema.oneOf) {
    const lists = schema.oneOf.map(fields).filter((list) => list !== null);
    return h("ul", { class: "fields" }, ...lists.map((list) => h("li", {}, list)));
  }
  const known = Object.entries(schema.properties ?? {});
  if (known.length === 0) return null;
  const rows = known.flatMap(([name, of]) =>
    field(name, of, { required: schema.required?.includes(name) ?? false }),
  );
  return h("dl", { class: "fields" }, ...rows);
}
