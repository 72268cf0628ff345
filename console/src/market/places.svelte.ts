// Names of the places in filters, which are paths such as /cities/37261. Asked for once.

import { SvelteMap } from 'svelte/reactivity';
import { exchange } from '../api/client';

const names = new SvelteMap<string, string>();
const asked = new Set<string>();

export function knowPlace(path: string, name: string): void {
  names.set(path, name);
}

/** The name of a place or a category of sites, or its path until the name is known. */
export function placeName(path: string): string {
  const known = names.get(path);
  if (known) return known;
  if (!asked.has(path) && /^\/(cities|departments|site_categories)\/\w+$/.test(path)) {
    asked.add(path);
    exchange('get', path).then(
      (place) => names.set(path, (place as { name: string | null }).name ?? path),
      () => undefined,
    );
  }
  return path;
}
