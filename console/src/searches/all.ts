// All searches of the user, for choices and titles.

import { exchange, get, type Schemas } from '../api/client';

/** A user may have thousands of searches; a list to choose from is of no use long before that. */
const PAGES_MAX = 10;

type Page = Schemas['SearchCollection'];

/** The searches of the user by title, up to 300. */
export async function allSearches(signal: AbortSignal): Promise<Schemas['Search'][]> {
  let page: Page = await get('/searches', { query: [['order[title]', 'asc']], signal });
  const searches = [...page['hydra:member']];
  for (let read = 1; read < PAGES_MAX; read += 1) {
    const next = page['hydra:view']?.['hydra:next'];
    if (!next) break;
    page = (await exchange('get', next, { signal })) as Page;
    searches.push(...page['hydra:member']);
  }
  return searches;
}
