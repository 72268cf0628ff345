import { describe, expect, it } from 'vitest';
import { Formats, type Language } from '../src/format';
import { sentence, shortRange, wordParts, type Wording } from '../src/market/criteria';
import { entries } from '../src/market/entries';
import { fromParams, type Filters } from '../src/market/filters';
import { en } from '../src/words/en';
import { enFilters } from '../src/words/en-filters';
import { fr } from '../src/words/fr';
import { frFilters } from '../src/words/fr-filters';

/** Texts without the browser: the views have the same with the chosen language. */
function wording(language: Language): Wording {
  const texts: Record<string, string> = language === 'fr' ? fr : en;
  const filled = (text: string, values: Record<string, string | number> = {}) => text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name]));
  return {
    t: (key, values) => filled(texts[key]!, values),
    named: (prefix, value) => texts[`${prefix}.${value}`] ?? String(value),
    filterName: (id) => (language === 'fr' ? frFilters : enFilters)[id],
    count: (_, n) => `${n}`,
    f: new Formats(language),
    placeName: (path) => (path === '/cities/37261' ? 'Tours' : path),
  };
}
const spaces = (text: string) => text.replace(/[\u00a0\u202f]/g, ' ');

describe('criteria in words', () => {
  const filters = fromParams(new URLSearchParams('transactionType=0&propertyTypes[]=0&includedCities[]=/cities/37261&budgetMax=300000&surfaceMin=50&furnished=false&expressions[0][0][word]=balcon'));

  it('in English', () => {
    expect(spaces(sentence(filters, wording('en')))).toBe('apartments to buy, in Tours, price up to €300,000, surface from 50 m², not Furnished, with “balcon”');
  });

  it('in French', () => {
    expect(spaces(sentence(filters, wording('fr')))).toBe('appartements à acheter, à Tours, prix jusqu’à 300 000 €, surface à partir de 50 m², pas Meublé, avec « balcon »');
  });
});

describe('buttons of the filter bar', () => {
  const budget = entries.find((entry) => entry.id === 'budget')!;
  const read = (query: string) => fromParams(new URLSearchParams(query));

  it.each([
    ['budgetMax=300000', 'Prix ≤ 300 000 €'],
    ['budgetMin=100000', 'Prix ≥ 100 000 €'],
    ['budgetMin=100000&budgetMax=300000', 'Prix 100 000 € – 300 000 €'],
    ['budgetMin=300000&budgetMax=300000', 'Prix 300 000 €'],
  ])('%s is %s', (query, expected) => expect(spaces(shortRange(budget, read(query), wording('fr')))).toBe(expected));

  it('take words away part by part', () => {
    let filters: Filters = read('expressions[0][0][word]=balcon&expressions[0][1][word]=travaux&expressions[0][1][options][includes]=false');
    const [first] = wordParts(filters, wording('en'));
    expect(first?.text).toBe('with “balcon”');
    filters = { ...filters, words: first!.without };
    expect(wordParts(filters, wording('en')).map((part) => part.text)).toEqual(['without “travaux”']);
  });
});

describe('the catalogues', () => {
  it('have the same places for values', () => {
    const places = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(String).sort();
    for (const key of Object.keys(en) as (keyof typeof en)[]) expect(places(fr[key]), key).toEqual(places(en[key]));
  });
});

describe('numbers', () => {
  it.each([
    ['en', 285_000, '285 k€'],
    ['en', 1_250_000, '1.25 M€'],
    ['fr', 1_250_000, '1,25 M€'],
    ['en', 850, '€850'],
  ] as const)('label of a price: %s %d', (language, price, expected) => {
    expect(spaces(new Formats(language).label(price))).toBe(expected);
  });

  it.each([[0.42, '0.4 ms'], [34, '34 ms'], [1234, '1.2 s'], [265_800, '4 min 25 s'], [11_100_000, '3 h 5 min']])('%d ms is %s', (ms, expected) => {
    expect(new Formats('en').duration(ms)).toBe(expected);
  });

  it('bytes', () => {
    expect([0, 999, 1500, 2_000_000_000].map((count) => new Formats('en').bytes(count))).toEqual(['0 B', '999 B', '1.5 kB', '2.0 GB']);
  });
});
