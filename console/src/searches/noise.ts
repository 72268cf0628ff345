// Whether a search says too much or nothing, and which of its filters decides that.

import { entries, isSet, type FilterEntry } from '../market/entries';
import type { Filters } from '../market/filters';

/** More than so many a day is too much for a person to read. */
export const NOISY_A_DAY = 30;

export function withoutEntry(filters: Filters, entry: FilterEntry): Filters {
  const values = { ...filters.values };
  for (const name of entry.names) delete values[name];
  return { ...filters, values };
}

/** The filters that may be left out one by one, to see which excludes most. Type and deal are what the search is about. */
export function candidates(filters: Filters): FilterEntry[] {
  return entries.filter((entry) => entry.id !== 'transactionType' && entry.id !== 'propertyTypes' && isSet(entry, filters)).slice(0, 8);
}
