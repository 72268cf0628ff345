// The address bar is where the state of a view lives, so that a link shows a colleague the same.

export const BASE = '/console';

let path = $state(location.pathname);
let search = $state(location.search);

/** The address without the part that all pages share. */
export const route = {
  get path(): string {
    return path.slice(BASE.length).replace(/\/+$/, '') || '/market';
  },
  get parts(): string[] {
    return route.path.slice(1).split('/').map(decodeURIComponent);
  },
  get query(): URLSearchParams {
    return new URLSearchParams(search);
  },
  get search(): string {
    return search;
  },
};

function read(): void {
  path = location.pathname;
  search = location.search;
}

addEventListener('popstate', read);

/** Opens a page of the console. */
export function go(to: string): void {
  history.pushState(null, '', BASE + to);
  read();
  scrollTo(0, 0);
}

/** Changes the query of this page. Small steps, such as each move of the map, replace the entry in the history. */
export function setQuery(query: URLSearchParams, how: 'push' | 'replace'): void {
  const text = query.toString();
  const next = text ? `?${readable(text)}` : '';
  if (next === search) return;
  if (how === 'push') history.pushState(null, '', location.pathname + next);
  else history.replaceState(null, '', location.pathname + next);
  read();
}

/** Brackets, slashes and commas may stand in a query; people read these addresses. */
export function readable(query: string): string {
  return query.replace(/%5B/g, '[').replace(/%5D/g, ']').replace(/%2F/g, '/').replace(/%2C/g, ',').replace(/%3A/g, ':');
}

/** Links to pages of the console change the page without loading it again. */
export function follow(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const link = (event.target as Element | null)?.closest?.('a');
  if (!link || link.target || link.origin !== location.origin || !(link.pathname + '/').startsWith(BASE + '/')) return;
  event.preventDefault();
  history.pushState(null, '', link.href);
  read();
  scrollTo(0, 0);
}
