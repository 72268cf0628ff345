// Filters as people think of them: one entry for both ends of a range, made from the filter table.

import { filterTable } from '../api/filters';
import type { FilterName, Filters } from './filters';

type Row = (typeof filterTable)[number];
type Entry<N> = N extends 'lat' | 'lon' | 'radius' ? 'circle'
  : N extends `${infer B}Min` | `${infer B}Max` ? B
  : N extends `${infer B}FromCreatedAt` | `${infer B}ToCreatedAt` ? `${B}At`
  : N extends `from${infer B}` | `to${infer B}` ? `when${B}`
  : N;
/** The catalogues have words for each of these, which the compiler checks. */
export type EntryId = Entry<FilterName>;

export type Kind = 'range' | 'dates' | 'boolean' | 'choice' | 'choices' | 'City' | 'Department' | 'Property' | 'SiteCategory' | 'texts' | 'circle';
export type Group = 'home' | 'price' | 'place' | 'advert' | 'changes';

export interface FilterEntry {
  id: EntryId;
  kind: Kind;
  group: Group;
  names: FilterName[];
  values: readonly (string | number)[];
  /** Whether a saved search has it. */
  saved: boolean;
  /** The meaning, in the words of the filter table. */
  about: string;
}

function entryOf(name: string): EntryId {
  if (name === 'lat' || name === 'lon' || name === 'radius') return 'circle';
  const id = name
    .replace(/(Min|Max)$/, '')
    .replace(/(From|To)CreatedAt$/, 'At')
    .replace(/^(from|to)(?=[A-Z])/, 'when');
  return id as EntryId;
}

function kindOf(row: Row): Kind {
  if (row.name === 'lat') return 'circle';
  if (row.type === 'date') return 'dates';
  if (row.type === 'number') return 'range';
  if (row.type === 'string') return 'texts';
  if (row.type === 'choice') return row.many ? 'choices' : 'choice';
  return row.type;
}

function groupOf(name: string): Group {
  if (/^event|^(from|to)(Updated|Crawled|Expired|Date)/.test(name) || name === 'sortMode' || name === 'expired') return 'changes';
  if (/price|budget|fees|charges|pledge|lifeAnnuity/i.test(name)) return 'price';
  if (/Cities|Departments|Zipcodes|Insee|^(lat|lon|radius)$|location|geoAccuracy/i.test(name)) return 'place';
  if (/site|publisher|mandate|tour|excludedProperties/i.test(name)) return 'advert';
  return 'home';
}

export const entries: readonly FilterEntry[] = (() => {
  const byId = new Map<EntryId, FilterEntry>();
  for (const row of filterTable) {
    const id = entryOf(row.name);
    const known = byId.get(id);
    if (known) known.names.push(row.name);
    else byId.set(id, { id, kind: kindOf(row), group: groupOf(row.name), names: [row.name], values: row.values, saved: row.saved, about: row.about });
  }
  return [...byId.values()];
})();

export const groups: readonly Group[] = ['home', 'price', 'place', 'advert', 'changes'];

export function isSet(entry: FilterEntry, filters: Filters): boolean {
  return entry.names.some((name) => filters.values[name] !== undefined);
}

/** Entries that the bar has a button for. *More* lists the others, and these too. */
export const atHand: ReadonlySet<EntryId> = new Set(['transactionType', 'propertyTypes', 'budget', 'surface', 'room', 'includedCities', 'includedDepartments', 'includedZipcodes', 'circle']);
