// The language of the console, its texts and its ways to write numbers.

import { Formats, type Language } from '../format';
import type { EntryId } from '../market/entries';
import { en, type Words } from './en';
import { enFilters } from './en-filters';
import { fr } from './fr';
import { frFilters, frMeanings } from './fr-filters';

export type Key = keyof Words;
type Counted = Key extends infer K ? (K extends `${infer Base}_other` ? Base : never) : never;

const LANGUAGE = 'vigie-language';
const catalogues = { en, fr };
const filterNames = { en: enFilters, fr: frFilters };

function initial(): Language {
  const kept = localStorage.getItem(LANGUAGE);
  if (kept === 'en' || kept === 'fr') return kept;
  return navigator.language.startsWith('fr') ? 'fr' : 'en';
}

let language = $state<Language>(initial());
const formats = $derived(new Formats(language));

export const locale = {
  get language(): Language {
    return language;
  },
  set language(next: Language) {
    language = next;
    localStorage.setItem(LANGUAGE, next);
    document.documentElement.lang = next;
  },
};

/** Ways to write numbers, money and dates in the language of the console. */
export function f(): Formats {
  return formats;
}

export function t(key: Key, values: Record<string, string | number> = {}): string {
  return filled(catalogues[language][key], values);
}

/** A text with a number, in the singular or plural that the language wants. */
export function count(base: Counted, n: number): string {
  const form = formats.plural.select(n) === 'one' ? 'one' : 'other';
  return filled(catalogues[language][`${base}_${form}` as Key], { n: formats.number(n) });
}

export function filterName(id: EntryId): string {
  return filterNames[language][id];
}

/** What a filter means in one line; `about` is the line of the filter table, in English. */
export function filterMeaning(id: EntryId, about: string): string {
  return language === 'fr' ? frMeanings[id] : about;
}

/** A text whose key is made of a value of the API, such as a state; the value itself if the catalogue does not know it. */
export function named(prefix: string, value: string | number): string {
  const key = `${prefix}.${value}`;
  return key in catalogues[language] ? catalogues[language][key as Key] : String(value);
}

function filled(text: string, values: Record<string, string | number>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => (name in values ? String(values[name]) : whole));
}
