import type { Component } from 'svelte';
import type { Key } from '../words/index.svelte';

export interface Page {
  path: string;
  title: Key;
  /** The scope that the key must have. */
  scope: 'read' | 'searches' | 'admin';
  /** Whether the bar at the top has it. */
  tab: boolean;
  load: () => Promise<{ default: Component }>;
}

export const pages: readonly Page[] = [
  { path: 'market', title: 'page.market', scope: 'read', tab: true, load: () => import('../market/Market.svelte') },
  { path: 'searches', title: 'page.searches', scope: 'searches', tab: true, load: () => import('../searches/Searches.svelte') },
  { path: 'deliveries', title: 'page.deliveries', scope: 'searches', tab: true, load: () => import('../deliveries/Deliveries.svelte') },
  { path: 'data', title: 'page.data', scope: 'admin', tab: true, load: () => import('../data/Data.svelte') },
  { path: 'status', title: 'page.status', scope: 'admin', tab: true, load: () => import('../status/Status.svelte') },
  { path: 'properties', title: 'page.property', scope: 'read', tab: false, load: () => import('../property/Property.svelte') },
];
