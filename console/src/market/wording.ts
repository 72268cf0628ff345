import { count, f, filterName, named, t } from '../words/index.svelte';
import type { Wording } from './criteria';
import { placeName } from './places.svelte';

/** The wording of the chosen language; reading it in a view follows the language. */
export function wording(): Wording {
  return { t, named, filterName, count, f: f(), placeName };
}
