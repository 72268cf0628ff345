import { describe, expect, it } from 'vitest';
import { filterTable } from '../src/api/filters';
import { entries, isSet } from '../src/market/entries';
import { fromGroups, fromParams, fromSearch, noFilters, toCriteria, toGroups, toParams, type Filters, type Value } from '../src/market/filters';

/** A number generator with a seed, so that a failure can be repeated. */
function generator(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function anyFilters(next: (below: number) => number): Filters {
  const filters = noFilters();
  for (const row of filterTable) {
    if (next(4) !== 0) continue;
    const one = (): string | number | boolean => {
      if (row.type === 'number') return next(2) === 0 ? next(1_000_000) : (next(1000) - 500) / 8;
      if (row.type === 'boolean') return next(2) === 0;
      if (row.type === 'choice') return row.values[next(row.values.length)]!;
      return ['/cities/37261', '37000', 'a&b=c', 'é ñ', '2026-03-02', '[0]'][next(6)]!;
    };
    filters.values[row.name] = (row.many ? Array.from({ length: 1 + next(3) }, one) : one()) as Value;
  }
  const corner = (): [number, number] => [next(360) - 180 + next(1000) / 1000, next(180) - 90];
  if (next(3) === 0) filters.shapes = Array.from({ length: 1 + next(2) }, () => Array.from({ length: 3 + next(4) }, corner));
  if (next(3) === 0) filters.words = Array.from({ length: 1 + next(3) }, () => Array.from({ length: 1 + next(3) }, () => ({ word: ['balcon', 'vue mer', 'x=y&z'][next(3)]!, includes: next(2) === 0, strict: next(2) === 0 })));
  return filters;
}

describe('filters in an address', () => {
  it('come back as they were', () => {
    for (let seed = 1; seed <= 500; seed += 1) {
      const filters = anyFilters(generator(seed));
      const address = new URLSearchParams(toParams(filters)).toString();
      expect(fromParams(new URLSearchParams(address)), `seed ${seed}`).toEqual(filters);
    }
  });

  it('are left out if they cannot be read', () => {
    const address = 'budgetMax=dear&furnished=perhaps&propertyTypes[]=9&unknown=1&geoShapes[0][0][0]=2&lat=';
    expect(fromParams(new URLSearchParams(address))).toEqual(noFilters());
  });

  it('take lists with and without numbers in brackets', () => {
    expect(fromParams([['propertyTypes[0]', '1'], ['propertyTypes[]', '0']]).values.propertyTypes).toEqual([1, 0]);
  });
});

describe('words', () => {
  it.each([
    [{ must: ['balcon'], any: [], not: [] }],
    [{ must: ['balcon', 'cave'], any: ['lac', 'mer'], not: ['travaux'] }],
    [{ must: [], any: ['lac', 'mer'], not: [] }],
    [{ must: [], any: [], not: ['travaux'] }],
  ])('%j is what its groups say', (fields) => {
    expect(fromGroups(toGroups(fields))).toEqual(fields);
  });

  it('of other shapes cannot be shown in three fields', () => {
    const entry = (word: string, strict = false) => ({ word, includes: true, strict });
    expect(fromGroups([[entry('a'), entry('b')], [entry('c'), entry('d')]])).toBeNull();
    expect(fromGroups([[entry('a', true)]])).toBeNull();
  });
});

describe('a saved search', () => {
  it('has the criteria of the filters, and names those it cannot have', () => {
    const filters = fromParams([['transactionType', '0'], ['propertyTypes[]', '1'], ['expired', 'false'], ['expressions[0][0][word]', 'cave']]);
    expect(toCriteria(filters)).toEqual({
      criteria: { transactionType: 0, propertyTypes: [1], expressions: [[{ word: 'cave', options: { includes: true, strict: false } }]] },
      left: ['expired'],
    });
  });

  it('gives its filters back, with paths for places', () => {
    const search = { transactionType: 0, budgetMax: null, includedCities: [{ '@id': '/cities/37261', name: 'Tours' }], withCoherentPrice: true, expressions: [] };
    expect(fromSearch(search as never).values).toEqual({ transactionType: 0, includedCities: ['/cities/37261'] });
  });
});

describe('entries', () => {
  it('hold every filter exactly once', () => {
    expect(entries.flatMap((entry) => entry.names).sort()).toEqual(filterTable.map((row) => row.name).sort());
  });

  it('hold both ends of a range', () => {
    const budget = entries.find((entry) => entry.id === 'budget')!;
    expect(budget.names).toEqual(['budgetMin', 'budgetMax']);
    expect(isSet(budget, fromParams([['budgetMax', '1']]))).toBe(true);
    expect(isSet(budget, noFilters())).toBe(false);
  });
});
