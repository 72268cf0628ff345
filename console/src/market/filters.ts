// The filters of a search, as the address bar, a request and a saved search spell them.

import { filterTable } from '../api/filters';
import type { Schemas } from '../api/client';

type Row = (typeof filterTable)[number];
export type FilterName = Row['name'];
export type Value = string | number | boolean | string[] | number[];
/** Longitude and latitude, in the order of GeoJSON. */
export type Position = [number, number];
export interface Word {
  word: string;
  includes: boolean;
  strict: boolean;
}
/** One group of words must hold, with all its entries. */
export type WordGroups = Word[][];

export interface Filters {
  values: Partial<Record<FilterName, Value>>;
  shapes: Position[][];
  words: WordGroups;
}

const rows = new Map<string, Row>(filterTable.map((row) => [row.name, row]));

export function noFilters(): Filters {
  return { values: {}, shapes: [], words: [] };
}

export function isEmpty(filters: Filters): boolean {
  return Object.keys(filters.values).length + filters.shapes.length + filters.words.length === 0;
}

/** The query of a request, and of the address bar, in a fixed order. */
export function toParams(filters: Filters): [string, string][] {
  const params: [string, string][] = [];
  for (const row of filterTable) {
    const value = filters.values[row.name];
    if (value === undefined) continue;
    if (Array.isArray(value)) params.push(...value.map((one): [string, string] => [`${row.name}[]`, String(one)]));
    else params.push([row.name, String(value)]);
  }
  filters.shapes.forEach((ring, shape) =>
    ring.forEach(([lon, lat], point) => {
      params.push([`geoShapes[${shape}][${point}][0]`, String(lon)], [`geoShapes[${shape}][${point}][1]`, String(lat)]);
    }),
  );
  filters.words.forEach((group, g) =>
    group.forEach((entry, e) => {
      params.push([`expressions[${g}][${e}][word]`, entry.word]);
      if (!entry.includes) params.push([`expressions[${g}][${e}][options][includes]`, 'false']);
      if (entry.strict) params.push([`expressions[${g}][${e}][options][strict]`, 'true']);
    }),
  );
  return params;
}

/** Reads what `toParams` writes. What cannot be read is left out: an address may be typed by hand. */
export function fromParams(params: Iterable<readonly [string, string]>): Filters {
  const filters = noFilters();
  const lists = new Map<FilterName, string[]>();
  for (const [name, text] of params) {
    const row = rows.get(name.replace(/\[\d*\]$/, ''));
    if (row?.many) lists.set(row.name, [...(lists.get(row.name) ?? []), text]);
    else if (row) put(filters, row.name, readOne(row, text));
    else readNested(filters, name, text);
  }
  for (const [name, texts] of lists) {
    const read = texts.map((text) => readOne(rows.get(name)!, text)).filter((value) => value !== undefined);
    if (read.length > 0) filters.values[name] = read as Value;
  }
  filters.shapes = filters.shapes.filter((ring) => ring.length >= 3 && ring.every((point) => point?.every(Number.isFinite)));
  filters.words = filters.words.map((group) => group.filter((entry) => entry?.word)).filter((group) => group.length > 0);
  return filters;
}

function put(filters: Filters, name: FilterName, value: Value | undefined): void {
  if (value !== undefined) filters.values[name] = value;
}

function readOne(row: Row, text: string): string | number | boolean | undefined {
  if (text === '') return undefined;
  switch (row.type) {
    case 'number':
      return Number.isFinite(Number(text)) ? Number(text) : undefined;
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : undefined;
    case 'choice':
      return (row.values as readonly (string | number)[]).find((value) => String(value) === text);
    default:
      return text;
  }
}

function readNested(filters: Filters, name: string, text: string): void {
  const point = /^geoShapes\[(\d{1,3})\]\[(\d{1,3})\]\[([01])\]$/.exec(name);
  if (point) {
    const ring = (filters.shapes[Number(point[1])] ??= []);
    (ring[Number(point[2])] ??= [NaN, NaN])[Number(point[3])] = Number(text);
    return;
  }
  const word = /^expressions\[(\d{1,3})\]\[(\d{1,3})\]\[(word|options)\](?:\[(includes|strict)\])?$/.exec(name);
  if (!word) return;
  const group = (filters.words[Number(word[1])] ??= []);
  const entry = (group[Number(word[2])] ??= { word: '', includes: true, strict: false });
  if (word[3] === 'word') entry.word = text;
  else if (word[4] === 'includes') entry.includes = text !== 'false';
  else if (word[4] === 'strict') entry.strict = text === 'true';
}

/** What a person enters: words that must all be there, of which one must be there, and that must not be there. */
export interface WordFields {
  must: string[];
  any: string[];
  not: string[];
}

export function toGroups({ must, any, not }: WordFields): WordGroups {
  const entry = (includes: boolean) => (word: string): Word => ({ word, includes, strict: false });
  const common = [...must.map(entry(true)), ...not.map(entry(false))];
  if (any.length > 0) return any.map((word) => [entry(true)(word), ...common]);
  return common.length > 0 ? [common] : [];
}

/** The reverse; `null` for groups that these three fields cannot say. */
export function fromGroups(groups: WordGroups): WordFields | null {
  if (groups.some((group) => group.some((entry) => entry.strict))) return null;
  if (groups.length <= 1) {
    const group = groups[0] ?? [];
    return { must: group.filter((entry) => entry.includes).map((entry) => entry.word), any: [], not: group.filter((entry) => !entry.includes).map((entry) => entry.word) };
  }
  const key = (entry: Word) => `${entry.includes}:${entry.word}`;
  const common = new Set(groups[0]!.map(key).filter((one) => groups.every((group) => group.some((entry) => key(entry) === one))));
  const rest = groups.map((group) => group.filter((entry) => !common.has(key(entry))));
  if (rest.some((group) => group.length !== 1 || !group[0]!.includes)) return null;
  const shared = groups[0]!.filter((entry) => common.has(key(entry)));
  return { must: shared.filter((entry) => entry.includes).map((entry) => entry.word), any: rest.map((group) => group[0]!.word), not: shared.filter((entry) => !entry.includes).map((entry) => entry.word) };
}

/** The criteria of a saved search. Filters that saved searches do not have are named in `left`. */
export function toCriteria(filters: Filters): { criteria: Record<string, unknown>; left: FilterName[] } {
  const criteria: Record<string, unknown> = {};
  const left: FilterName[] = [];
  for (const row of filterTable) {
    const value = filters.values[row.name];
    if (value === undefined) continue;
    if (row.saved) criteria[row.name] = value;
    else left.push(row.name);
  }
  if (filters.shapes.length > 0) criteria.geoShapes = filters.shapes;
  if (filters.words.length > 0) {
    criteria.expressions = filters.words.map((group) => group.map(({ word, includes, strict }) => ({ word, options: { includes, strict } })));
  }
  return { criteria, left };
}

/** The filters of a saved search. */
export function fromSearch(search: Schemas['Search']): Filters {
  const filters = noFilters();
  for (const row of filterTable) {
    const value = (search as Record<string, unknown>)[row.name];
    if (value === null || value === undefined || (Array.isArray(value) && value.length === 0)) continue;
    // What holds for every search that does not say otherwise.
    if (row.name === 'withCoherentPrice' && value === true) continue;
    // Places and categories come as objects with a path; a request names them by it.
    filters.values[row.name] = (Array.isArray(value) ? value.map((one) => (typeof one === 'object' && one ? (one as { '@id': string })['@id'] : one)) : value) as Value;
  }
  filters.shapes = (search.geoShapes ?? []) as Position[][];
  filters.words = (search.expressions ?? []).map((group) => group.map(({ word, options }) => ({ word, ...options })));
  return filters;
}
