// Expands documents of the service with jsonld.js, which loads their contexts from the service. For each path given as an
// argument, prints one line of JSON: the types, the keys, those that the expansion lost, and properties that the Hydra
// documentation does not describe.

import jsonld from "jsonld";

const { API_URL, API_KEY } = process.env;
const PROPERTY = "http://www.w3.org/ns/hydra/core#property";
const contexts = new Map();

async function get(url) {
  const response = await fetch(url, { headers: { "X-API-KEY": API_KEY, Accept: "application/ld+json" } });
  return { response, document: await response.json() };
}

/** Loads a context, once. */
async function documentLoader(documentUrl) {
  if (!contexts.has(documentUrl)) {
    const { response, document } = await get(documentUrl);
    if (!response.ok) throw new Error(`${documentUrl}: ${response.status}`);
    contexts.set(documentUrl, document);
  }
  return { documentUrl, document: contexts.get(documentUrl) };
}

/** Gives every `null` a value: JSON-LD leaves out keys without one, whatever the context says. */
function filled(value) {
  if (Array.isArray(value)) return value.map(filled);
  if (value === null) return "a value";
  if (typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, filled(inner)]));
}

/** Adds the terms that a context maps to null: those are left out on purpose. */
function addExcluded(context, excluded) {
  for (const [name, value] of Object.entries(context ?? {})) {
    if (value === null || value?.["@id"] === null) excluded.add(name);
    if (typeof value === "object") addExcluded(value, excluded);
  }
}

/** Calls `visit` with every key and value inside an expanded document. */
function walk(value, visit) {
  for (const [key, inner] of Object.entries(value ?? {})) {
    visit(key, inner);
    if (typeof inner === "object") walk(inner, visit);
  }
}

async function expand(path) {
  const { document } = await get(API_URL + path);
  const lost = [];
  const expanded = await jsonld.expand(filled(document), {
    base: API_URL + path,
    documentLoader,
    eventHandler: ({ event: { code, details }, next }) => {
      lost.push({ code, key: details.property ?? JSON.stringify(details) });
      next();
    },
  });
  return { document, expanded, lost };
}

const described = new Set();
walk((await expand("/docs.jsonld")).expanded, (key, inner) => {
  if (key === PROPERTY) inner.forEach((property) => described.add(property["@id"]));
});

for (const path of process.argv.slice(2)) {
  const { document, expanded, lost } = await expand(path);
  const excluded = new Set();
  for (const context of contexts.values()) addExcluded(context, excluded);
  const own = new Set();
  walk(expanded, (key) => {
    if (key.startsWith(`${API_URL}/`) && !described.has(key)) own.add(key);
  });
  const keys = Object.keys(document["hydra:member"]?.[0] ?? document).filter((key) => !key.startsWith("@"));
  const unexpected = lost.filter(({ key }) => !excluded.has(key)).map(({ code, key }) => `${code}: ${key}`);
  const types = expanded.flatMap((node) => node["@type"]);
  console.log(JSON.stringify({ path, types, keys, lost: [...new Set(unexpected)], undescribed: [...own] }));
}
