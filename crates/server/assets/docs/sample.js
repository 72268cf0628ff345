// An example made from a schema, for what has none of its own.

/** @typedef {import("./description.js").Description} Description */

/** Objects in more named objects than this are shown as `{}`. */
const DEPTH_MAX = 5;

/** @type {Record<string, string>} */
const TEXTS = {
  uuid: "0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b",
  uri: "https://example.com/",
  email: "someone@example.com",
  date: "2026-03-02",
  "date-time": "2026-03-02T10:00:00+01:00",
};

/**
 * @param {Description} description
 * @param {any} given
 * @param {{isRequest?: boolean}} [options] For a request, fields that may be left out are left out.
 * @returns {any}
 */
export function sample(description, given, { isRequest = false } = {}) {
  /** @type {(given: any, outer: string[]) => any} */
  const make = (given, outer) => {
    const name = description.schemaName(given);
    // An object inside itself, or far inside others, helps no reader.
    if (outer.length > DEPTH_MAX || (name && outer.includes(name))) return {};
    const path = name ? [...outer, name] : outer;
    const schema = description.resolve(given);
    const known = schema.example ?? schema.examples?.[0] ?? schema.default ?? schema.const ?? schema.enum?.[0];
    if (known !== undefined) return known;
    const [alternative] = schema.oneOf ?? schema.anyOf ?? [];
    if (alternative) return make(alternative, path);
    if (schema.allOf) return Object.assign({}, ...schema.allOf.map((/** @type {any} */ part) => make(part, path)));
    const [type] = [schema.type ?? (schema.properties ? "object" : "null")].flat();
    switch (type) {
      case "object": {
        const required = isRequest ? schema.required ?? [] : [];
        const members = Object.entries(schema.properties ?? {}).filter(([name]) => required.length === 0 || required.includes(name));
        return Object.fromEntries(members.map(([name, member]) => [name, make(member, path)]));
      }
      case "array":
        return [make(schema.items ?? {}, path)];
      case "integer":
      case "number":
        return schema.minimum ?? 0;
      case "boolean":
        return false;
      case "string":
        return TEXTS[schema.format] ?? "text";
      default:
        return null;
    }
  };
  return make(given, []);
}
