// An example made from a schema, for what has none of its own.

/** @typedef {import("./description.js").Description} Description */

/** Objects in objects beyond this depth are shown as `{}`. */
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
 * @param {number} [depth]
 * @returns {any}
 */
export function sample(description, given, depth = 0) {
  const schema = description.resolve(given);
  const known = schema.example ?? schema.examples?.[0] ?? schema.default ?? schema.const ?? schema.enum?.[0];
  if (known !== undefined) return known;
  const [alternative] = schema.oneOf ?? schema.anyOf ?? [];
  if (alternative) return sample(description, alternative, depth);
  if (schema.allOf) {
    return Object.assign({}, ...schema.allOf.map((/** @type {any} */ part) => sample(description, part, depth)));
  }
  const [type] = [schema.type ?? (schema.properties ? "object" : "null")].flat();
  switch (type) {
    case "object": {
      if (depth >= DEPTH_MAX) return {};
      const members = Object.entries(schema.properties ?? {});
      return Object.fromEntries(members.map(([name, member]) => [name, sample(description, member, depth + 1)]));
    }
    case "array":
      return depth >= DEPTH_MAX ? [] : [sample(description, schema.items ?? {}, depth + 1)];
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
}
