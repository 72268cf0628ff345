// Filters in words: "apartments to buy, in Tours, price up to 300,000 €, with “balcon”".

import type { Formats } from '../format';
import type { Key } from '../words/index.svelte';
import { entries, isSet, type EntryId, type FilterEntry } from './entries';
import { fromGroups, toGroups, type Filters } from './filters';
import { pointKey } from './geometry';

export interface Wording {
  t: (key: Key, values?: Record<string, string | number>) => string;
  named: (prefix: string, value: string | number) => string;
  filterName: (id: EntryId) => string;
  count: (base: 'shapes', n: number) => string;
  f: Formats;
  placeName: (path: string) => string;
}

const MONEY = new Set<EntryId>(['budget', 'advertPrice', 'priceExcludingFees', 'condominiumFees', 'inventoryPrice', 'rentalCharges', 'rentalPledge', 'renterFees', 'pricePerMeter']);
const AREA = new Set<EntryId>(['surface', 'landSurface']);
const PERCENT = new Set<EntryId>(['eventPriceVariation', 'eventSurfaceVariation']);
/** Prefix in the catalogue of the values that a filter chooses from. */
const CHOICES: Partial<Record<EntryId, string>> = { propertyTypes: 'type', transactionType: 'transaction', publisherTypes: 'publisher', feesResponsibility: 'fees', geoAccuracy: 'accuracy', sortMode: 'sortMode' };

/** The unit that stands beside an input. */
export function unit(id: EntryId): string {
  if (id === 'pricePerMeter') return '€/m²';
  if (MONEY.has(id)) return '€';
  if (AREA.has(id)) return 'm²';
  return PERCENT.has(id) || id === 'feesPercentage' ? '%' : '';
}

/** A number of a filter with its unit. */
export function quantity(id: EntryId, value: number, f: Formats): string {
  if (id === 'pricePerMeter') return f.perMeter(value);
  if (MONEY.has(id)) return f.money(value);
  if (AREA.has(id)) return f.area(value);
  if (PERCENT.has(id)) return f.change(value);
  return id === 'constructionYear' ? String(value) : f.number(value);
}

export function choiceName(id: EntryId, value: string | number, w: Pick<Wording, 'named'>): string {
  const prefix = CHOICES[id];
  return prefix ? w.named(prefix, value) : String(value);
}

/** The chip of one entry: its name and what is set. */
export function entryWords(entry: FilterEntry, filters: Filters, w: Wording): string {
  const name = w.filterName(entry.id);
  const value = filters.values[entry.names[0]!];
  switch (entry.kind) {
    case 'range':
    case 'dates': {
      const show = (one: unknown) => (entry.kind === 'range' ? quantity(entry.id, one as number, w.f) : w.f.day(one as string));
      const [min, max] = bounds(entry, filters);
      if (min !== undefined && max !== undefined) return w.t('criteria.between', { name, min: show(min), max: show(max) });
      if (min !== undefined) return w.t('criteria.from', { name, min: show(min) });
      return w.t('criteria.upTo', { name, max: show(max) });
    }
    case 'boolean':
      return value === false ? w.t('criteria.not', { name }) : name;
    case 'choice':
      return entry.id === 'transactionType' ? choiceName(entry.id, value as number, w) : `${name}: ${choiceName(entry.id, value as string | number, w)}`;
    case 'choices': {
      const list = (value as (string | number)[]).map((one) => choiceName(entry.id, one, w));
      return entry.id === 'propertyTypes' ? list.join(', ') : `${name}: ${list.join(', ')}`;
    }
    case 'City':
    case 'Department': {
      const list = (value as string[]).map(w.placeName).join(', ');
      return entry.id.startsWith('excluded') ? `${name}: ${list}` : list;
    }
    case 'SiteCategory':
      return `${name}: ${(value as string[]).map(w.placeName).join(', ')}`;
    case 'circle': {
      const [radius, lat, lon] = [filters.values.radius, filters.values.lat, filters.values.lon].map((one) => Number(one ?? 0));
      const key = pointKey(lat!, lon!);
      const place = w.placeName(key);
      if (place !== key) return w.t('criteria.around', { radius: w.f.number(radius!), place });
      return w.t('criteria.circle', { radius: w.f.number(radius!), lat: w.f.number(lat!), lon: w.f.number(lon!) });
    }
    default:
      return `${name}: ${Array.isArray(value) ? value.join(', ') : String(value)}`;
  }
}

/** A range on the button that opens it: the name and the ends in signs, as short as it can be read. */
export function shortRange(entry: FilterEntry, filters: Filters, w: Wording): string {
  const name = w.filterName(entry.id);
  const [min, max] = bounds(entry, filters) as [number | undefined, number | undefined];
  const show = (one: number) => quantity(entry.id, one, w.f);
  if (min !== undefined && max !== undefined) return min === max ? `${name} ${show(min)}` : `${name} ${show(min)} – ${show(max)}`;
  return min === undefined ? `${name} ≤ ${show(max ?? 0)}` : `${name} ≥ ${show(min)}`;
}

/** Both ends of a range, found by their names: the table has some maxima before their minima. */
export function bounds(entry: FilterEntry, filters: Filters): [unknown, unknown] {
  const isUpper = (name: string) => /Max$|^to[A-Z]|ToCreatedAt$/.test(name);
  const lower = entry.names.find((name) => !isUpper(name));
  const upper = entry.names.find(isUpper);
  return [lower && filters.values[lower], upper && filters.values[upper]];
}

/** The words in parts, each with the words that are left without it. */
export function wordParts(filters: Filters, w: Wording): { text: string; without: Filters['words'] }[] {
  const quoted = (word: string) => (w.f.language === 'fr' ? `«\u00a0${word}\u00a0»` : `“${word}”`);
  const fields = fromGroups(filters.words);
  if (!fields) return [{ text: filters.words.map((group) => group.map((entry) => (entry.includes ? '' : '−') + quoted(entry.word)).join(' + ')).join(` ${w.t('criteria.or')} `), without: [] }];
  const parts: { text: string; without: Filters['words'] }[] = [];
  if (fields.must.length > 0) parts.push({ text: w.t('criteria.with', { words: w.f.list(fields.must.map(quoted)) }), without: toGroups({ ...fields, must: [] }) });
  if (fields.any.length > 0) parts.push({ text: w.t('criteria.oneOf', { words: fields.any.map(quoted).join(` ${w.t('criteria.or')} `) }), without: toGroups({ ...fields, any: [] }) });
  if (fields.not.length > 0) parts.push({ text: w.t('criteria.without', { words: w.f.list(fields.not.map(quoted)) }), without: toGroups({ ...fields, not: [] }) });
  return parts;
}

export function wordsOf(filters: Filters, w: Wording): string[] {
  return wordParts(filters, w).map((part) => part.text);
}

/** All filters in one sentence. */
export function sentence(filters: Filters, w: Wording): string {
  const types = filters.values.propertyTypes as number[] | undefined;
  const what = types ? w.f.list(types.map((type) => w.named('types', type))) : w.t('criteria.properties');
  const deal = filters.values.transactionType;
  const parts = [w.t(deal === 0 ? 'criteria.buy' : deal === 1 ? 'criteria.let' : 'criteria.either', { types: what })];
  for (const id of ['includedCities', 'includedDepartments'] as const) {
    const places = filters.values[id] as string[] | undefined;
    if (places) parts.push(w.t('criteria.in', { places: w.f.list(places.map(w.placeName)) }));
  }
  const said: EntryId[] = ['transactionType', 'propertyTypes', 'includedCities', 'includedDepartments'];
  for (const entry of entries) {
    if (said.includes(entry.id) || !isSet(entry, filters)) continue;
    const words = entryWords(entry, filters, w);
    parts.push(words.charAt(0).toLocaleLowerCase(w.f.language) + words.slice(1));
  }
  if (filters.shapes.length > 0) parts.push(w.count('shapes', filters.shapes.length));
  return [...parts, ...wordsOf(filters, w)].join(', ');
}
