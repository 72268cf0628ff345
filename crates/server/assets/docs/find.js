// Finds operations, parameters, fields and texts by what the user types.

/** @typedef {import("./description.js").Description} Description */
/** @typedef {{kind: string, title: string, detail: string, href: string, key: string, text: string}} Entry */

/** More results than this help less than another word does. */
const RESULTS_MAX = 60;

/**
 * Lower case, without accents.
 * @param {string} text
 */
export function folded(text) {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}

/**
 * @param {Description} description
 * @returns {Entry[]}
 */
export function entries(description) {
  /** @type {Entry[]} */
  const list = [];
  /** @param {string} kind @param {string} title @param {string} detail @param {string} href @param {string} more */
  const push = (kind, title, detail, href, more) => {
    list.push({ kind, title, detail, href, key: folded(title), text: folded(`${title} ${detail} ${more}`) });
  };
  for (const operation of description.operations) {
    const { id, summary, method, path } = operation;
    push("Operations", summary, `${method} ${path}`, `#${id}`, `${id} ${operation.tag} ${operation.description}`);
  }
  for (const [name, schema] of description.schemas) {
    push("Schemas", name, "", `#schema-${name}`, schema.description ?? "");
    for (const [field, member] of Object.entries(schema.properties ?? {})) {
      push("Fields", field, name, `#schema-${name}/${field}`, member.description ?? "");
    }
  }
  // A parameter that several operations share is found once, in the first of them.
  /** @type {Map<string, {id: string, name: string, text: string, places: string[]}>} */
  const parameters = new Map();
  for (const { id, parameters: own, method, path } of description.operations) {
    for (const { name, description: text } of own) {
      const shared = parameters.get(`${name} ${text}`) ?? { id, name, text, places: [] };
      shared.places.push(`${method} ${path}`);
      parameters.set(`${name} ${text}`, shared);
    }
  }
  for (const { id, name, text, places } of parameters.values()) {
    const more = places.length > 1 ? ` and ${places.length - 1} more` : "";
    push("Parameters", name, places[0] + more, `#${id}/${name}`, `${text} ${places.join(" ")}`);
  }
  return list;
}

/**
 * @param {Entry[]} all
 * @param {string} query
 * @returns {Entry[]}
 */
export function find(all, query) {
  const words = folded(query).split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const rank = (/** @type {Entry} */ entry) => {
    if (entry.key === words.join(" ")) return 0;
    if (entry.key.startsWith(words[0])) return 1;
    return words.every((word) => entry.key.includes(word)) ? 2 : 3;
  };
  const found = all.filter((entry) => words.every((word) => entry.text.includes(word)));
  return found.map((entry) => ({ entry, rank: rank(entry) })).sort((a, b) => a.rank - b.rank).slice(0, RESULTS_MAX).map((it) => it.entry);
}
