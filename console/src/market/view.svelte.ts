// What the market shows: filters, order and place of the map, all read from the address.

import type { Schemas } from '../api/client';
import { route, setQuery } from '../route.svelte';
import { fromParams, toParams, type Filters } from './filters';

export const orders = ['createdAt.desc', 'updatedAt.desc', 'price.asc', 'price.desc', 'pricePerMeter.asc', 'surface.desc'] as const;
export type Order = (typeof orders)[number];

export interface Camera {
  lon: number;
  lat: number;
  zoom: number;
}

/** A map that shows a chosen place. */
export function placeCamera(place: Schemas['Location']): Camera | null {
  const at = place.location;
  return at ? { lon: at.lon, lat: at.lat, zoom: place.type === 'department' ? 8 : 11.5 } : null;
}

/** The map as the address holds it. */
export function cameraText(camera: Camera): string {
  return [camera.lon.toFixed(4), camera.lat.toFixed(4), camera.zoom.toFixed(2)].join(',');
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
  const parts = (route.query.get(CAMERA) ?? '').split(',').map(Number);
  const [lon, lat, zoom] = parts;
  return parts.length === 3 && parts.every((number) => Number.isFinite(number)) ? { lon: lon!, lat: lat!, zoom: zoom! } : null;
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
  if (nextCamera) query.set(CAMERA, cameraText(nextCamera));
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
