// Schemas in words and as a tree of fields.

import { el, lazyDetails } from "./dom.js";
import { inline, markdown } from "./markdown.js";

/** @typedef {import("./description.js").Description} Description */
/** @typedef {import("./description.js").Schema} Schema */
/** @typedef {import("./description.js").Choice} Choice */
/** @typedef {import("./dom.js").Child} Child */

/**
 * Returns the type of a value, as nodes: names of schemas are links.
 * @param {Description} description
 * @param {Schema} schema
 * @returns {Child[]}
 */
export function typeOf(description, schema) {
  const name = description.schemaName(schema);
  if (name) return [el("a", { href: `#schema-${name}` }, name)];
  const alternatives = schema.oneOf ?? schema.anyOf;
  if (alternatives && !alternatives.every((/** @type {Schema} */ it) => it.const !== undefined)) {
    return joined(alternatives.map((/** @type {Schema} */ it) => typeOf(description, it)), " or ");
  }
  if (schema.allOf) return joined(schema.allOf.map((/** @type {Schema} */ it) => typeOf(description, it)), " and ");
  const types = [schema.type ?? (schema.const !== undefined ? typeof schema.const : "any value")].flat();
  return joined(types.map((type) => {
    if (type === "array") return ["list of ", ...typeOf(description, schema.items ?? {})];
    if (type === "object" && schema.additionalProperties?.type) return ["map of ", ...typeOf(description, schema.additionalProperties)];
    return [type === "string" && schema.format ? FORMATS[schema.format] ?? schema.format : type];
  }), " or ");
}

/** @type {Record<string, string>} */
const FORMATS = { uri: "URL", "date-time": "date-time", date: "date", uuid: "uuid", email: "e-mail address" };

/**
 * @param {Child[][]} parts
 * @param {string} between
 * @returns {Child[]}
 */
function joined(parts, between) {
  return parts.flatMap((part, index) => (index === 0 ? part : [between, ...part]));
}

/**
 * Returns the allowed values with their meanings. A document says the meanings in one of three ways: as titles of constants, as a
 * list of texts beside the values, or in the description ("0 Apartment, 1 House").
 * @param {Schema} schema
 * @returns {Choice[]}
 */
export function choices(schema) {
  const constants = schema.oneOf ?? schema.anyOf ?? [];
  if (constants.length > 0 && constants.every((/** @type {Schema} */ it) => it.const !== undefined)) {
    return constants.map((/** @type {Schema} */ it) => ({ value: it.const, meaning: it.title ?? it.description ?? "" }));
  }
  if (schema.type === "array") return choices(schema.items ?? {});
  if (constants.length > 0) {
    // Such as a code, or a list of codes, or a text of one: the values are the same.
    return constants.map(choices).find((/** @type {Choice[]} */ list) => list.length > 0) ?? [];
  }
  const values = (schema.enum ?? []).filter((/** @type {any} */ value) => value !== null);
  const listed = schema["x-enum-descriptions"] ?? [];
  const described = meanings(schema.description ?? "");
  return values.map((/** @type {any} */ value, /** @type {number} */ index) => (
    { value, meaning: listed[index] ?? described.get(String(value)) ?? "" }));
}

/**
 * @param {string} text
 * @returns {Map<string, string>}
 */
function meanings(text) {
  const items = [...text.matchAll(/^- `([^`]+)`: (.+)$/gm)];
  const codes = [...text.matchAll(/(?:^|, |\()(-?\d+) ([^,()]+)/g)];
  return new Map([...codes, ...items].map(([, value, meaning]) => [value, meaning.trim()]));
}

/**
 * Returns the description without the meanings of values that are shown as a list of their own.
 * @param {Schema} schema
 */
export function ownText(schema) {
  const text = schema.description ?? "";
  if (choices(schema).every((choice) => choice.meaning === "")) return text;
  return text
    .replace(/\n*(^- `[^`]+`: .+$\n?)+/gm, "")
    .replace(/ ?\((-?\d+ [^,()]+(, )?)+\)/, "")
    .replace(/^(-?\d+ [^,()]+(, |$))+$/, "");
}

/**
 * @param {Choice[]} list
 * @returns {Child}
 */
export function choiceList(list) {
  if (list.length === 0) return null;
  return el("ul", { class: "choices", "aria-label": "Allowed values" }, list.map(({ value, meaning }) =>
    el("li", {}, el("code", {}, String(value)), meaning && [" ", ...inline(meaning)])));
}

/**
 * Returns limits and the default, in words.
 * @param {Schema} schema
 * @returns {string[]}
 */
export function limits(schema) {
  const parts = [];
  if (schema.minimum !== undefined) parts.push(`at least ${schema.minimum}`);
  if (schema.maximum !== undefined) parts.push(`at most ${schema.maximum}`);
  if (schema.maxLength !== undefined) parts.push(`at most ${schema.maxLength} characters`);
  if (schema.minItems) parts.push(`at least ${schema.minItems} of them`);
  if (schema.maxItems !== undefined) parts.push(`at most ${schema.maxItems} of them`);
  if (schema.pattern) parts.push(`matches ${schema.pattern}`);
  if (schema.const !== undefined) parts.push(`always ${JSON.stringify(schema.const)}`);
  if (schema.default !== undefined && schema.default !== null) parts.push(`default ${JSON.stringify(schema.default)}`);
  return parts;
}

/**
 * Returns the members of an object, of the objects that it is composed of, or of the items of a list.
 * @param {Description} description
 * @param {Schema} given
 * @returns {[string, Schema, boolean][]}
 */
export function members(description, given) {
  const schema = description.resolve(given);
  if (schema.allOf) return schema.allOf.flatMap((/** @type {Schema} */ part) => members(description, part));
  if (schema.items) return members(description, schema.items);
  const required = new Set(schema.required ?? []);
  /** @type {[string, Schema][]} */
  const own = Object.entries(schema.properties ?? {});
  if (own.length > 0) {
    /** @type {[string, Schema, boolean][]} */
    const all = own.map(([name, member]) => [name, member, required.has(name)]);
    // Among many fields, those that a request needs come first.
    return all.sort((a, b) => Number(b[2]) - Number(a[2]));
  }
  const alternatives = (schema.oneOf ?? schema.anyOf ?? []).filter((/** @type {Schema} */ it) => it.type !== "null");
  return alternatives.length === 1 ? members(description, alternatives[0]) : [];
}

/**
 * The fields of a schema. Objects in fields open on demand, so a schema may refer to itself.
 * @param {Description} description
 * @param {Schema} schema
 * @param {string} [anchor] Prefix of the ids of fields, for links to them.
 * @returns {Child}
 */
export function fieldTree(description, schema, anchor) {
  const resolved = description.resolve(schema);
  const alternatives = (resolved.oneOf ?? resolved.anyOf ?? []).filter((/** @type {Schema} */ it) => it.type !== "null");
  if (alternatives.length > 1 && members(description, resolved).length === 0 && choices(resolved).length === 0) {
    return el("div", { class: "alternatives" }, alternatives.map((/** @type {Schema} */ it) =>
      lazyDetails(typeOf(description, it), () => fieldTree(description, it))));
  }
  const list = members(description, resolved);
  if (list.length === 0) {
    return el("p", { class: "quiet" }, ...typeOf(description, schema), resolved.description ? ": " : "",
      ...inline(resolved.description ?? ""));
  }
  // What is the rule need not be said of each.
  const mostRequired = list.filter(([, , isRequired]) => isRequired).length > list.length / 2;
  return el("ul", { class: "fields" }, list.map(([name, member, isRequired]) => {
    const presence = isRequired === mostRequired ? null : isRequired ? "required" : "optional";
    return field(description, name, member, presence, anchor && `${anchor}/${name}`);
  }));
}

/**
 * @param {Description} description
 * @param {string} name
 * @param {Schema} schema
 * @param {"required" | "optional" | null} presence
 * @param {string} [id]
 */
function field(description, name, schema, presence, id) {
  const nested = members(description, schema);
  const variants = (schema.oneOf ?? schema.anyOf ?? []).filter((/** @type {Schema} */ it) => description.schemaName(it));
  const opens = nested.length > 0 || variants.length > 1;
  return el("li", { class: "field", id, tabindex: id ? -1 : null },
    el("div", { class: "field-head" },
      el("code", { class: "name" }, name),
      el("span", { class: "type" }, typeOf(description, schema)),
      presence && el("span", { class: presence === "required" ? "required" : "limit" }, presence),
      limits(schema).map((limit) => el("span", { class: "limit" }, limit))),
    el("div", { class: "meaning" }, markdown(ownText(schema))),
    choiceList(choices(schema)),
    opens && lazyDetails([`Fields of ${name}`], () => fieldTree(description, schema)));
}
