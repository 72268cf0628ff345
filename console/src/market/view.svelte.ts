// What the market shows: filters, order and place of the map, all read from the address.

import { route, setQuery } from '../route.svelte';
import { fromParams, toParams, type Filters } from './filters';

export const orders = ['createdAt.desc', 'updatedAt.desc', 'price.asc', 'price.desc', 'pricePerMeter.asc', 'surface.desc'] as const;
export type Order = (typeof orders)[number];

export interface Camera {
  lon: number;
  lat: number;
  zoom: number;
}

/** Names of the address that are no filters. */
const CAMERA = 'at';
const ORDER = 'order';
const STILL = 'still';

const filters = $derived(fromParams(route.query));
const order = $derived.by((): Order => {
  const given = route.query.get(ORDER);
  return orders.find((one) => one === given) ?? 'createdAt.desc';
});
const camera = $derived.by((): Camera | null => {
  const [lon, lat, zoom] = (route.query.get(CAMERA) ?? '').split(',').map(Number);
  return [lon, lat, zoom].every((number) => Number.isFinite(number)) ? { lon: lon!, lat: lat!, zoom: zoom! } : null;
});

export const market = {
  get filters(): Filters {
    return filters;
  },
  get order(): Order {
    return order;
  },
  get camera(): Camera | null {
    return camera;
  },
  /** Whether the list follows the map. */
  get moving(): boolean {
    return !route.query.has(STILL);
  },
};

interface Change {
  filters?: Filters;
  order?: Order;
  camera?: Camera | null;
  moving?: boolean;
}

/** The query of an address with this change. */
export function marketQuery(change: Change): URLSearchParams {
  const query = new URLSearchParams(toParams(change.filters ?? filters));
  const nextOrder = change.order ?? order;
  const nextCamera = change.camera === undefined ? camera : change.camera;
  if (nextOrder !== 'createdAt.desc') query.set(ORDER, nextOrder);
  if (nextCamera) query.set(CAMERA, [nextCamera.lon.toFixed(4), nextCamera.lat.toFixed(4), nextCamera.zoom.toFixed(2)].join(','));
  if (!(change.moving ?? market.moving)) query.set(STILL, '1');
  return query;
}

export function changeMarket(change: Change): void {
  setQuery(marketQuery(change), change.filters || change.order ? 'push' : 'replace');
}

/** The order as the API takes it. */
export function orderParams(order: Order): [string, string][] {
  const [field, direction] = order.split('.') as [string, string];
  return [[`order[${field}]`, direction]];
}
