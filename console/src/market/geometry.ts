// Shapes on the globe, as far as drawing needs them.

import type { Position } from './filters';

const KM_PER_DEGREE = 111.195;

/** What a point that has a name, such as a station, is known by. */
export const pointKey = (lat: number, lon: number): string => `${lat},${lon}`;

/** The ring of a circle, close enough for drawing. */
export function circleRing(lon: number, lat: number, radiusKm: number, points = 64): Position[] {
  const ring: Position[] = [];
  for (let index = 0; index <= points; index += 1) {
    const angle = (2 * Math.PI * index) / points;
    const dLat = (radiusKm / KM_PER_DEGREE) * Math.sin(angle);
    const dLon = (radiusKm / (KM_PER_DEGREE * Math.cos((lat * Math.PI) / 180))) * Math.cos(angle);
    ring.push([lon + dLon, lat + dLat]);
  }
  return ring;
}

export function distanceKm([lon1, lat1]: Position, [lon2, lat2]: Position): number {
  const rad = Math.PI / 180;
  const a = Math.sin(((lat2 - lat1) * rad) / 2) ** 2 + Math.cos(lat1 * rad) * Math.cos(lat2 * rad) * Math.sin(((lon2 - lon1) * rad) / 2) ** 2;
  return 2 * 6371.0088 * Math.asin(Math.sqrt(a));
}

/** Six decimals are about ten centimetres; more would only lengthen the address. */
export function rounded([lon, lat]: Position): Position {
  return [Math.round(lon * 1e6) / 1e6, Math.round(lat * 1e6) / 1e6];
}

export function closed(ring: Position[]): Position[] {
  return ring.length > 0 ? [...ring, ring[0]!] : ring;
}

/** The box around points, as west, south, east, north. */
export function boundsOf(points: Position[]): [number, number, number, number] | null {
  if (points.length === 0) return null;
  const lons = points.map(([lon]) => lon);
  const lats = points.map(([, lat]) => lat);
  return [Math.min(...lons), Math.min(...lats), Math.max(...lons), Math.max(...lats)];
}

/** West, south, east and north of what a map of this size shows, in the projection of web maps with tiles of 512 pixels. */
export function viewOf(lon: number, lat: number, zoom: number, width: number, height: number): [number, number, number, number] {
  const world = 512 * 2 ** zoom;
  const y = Math.log(Math.tan(Math.PI / 4 + (lat * Math.PI) / 360)) / (2 * Math.PI);
  const latAt = (pixels: number) => (Math.atan(Math.sinh((y + pixels / world) * 2 * Math.PI)) * 180) / Math.PI;
  const dLon = (180 * width) / world;
  return [Math.max(-180, lon - dLon), latAt(-height / 2), Math.min(180, lon + dLon), latAt(height / 2)].map((value) => Math.round(value * 1e5) / 1e5) as [number, number, number, number];
}

/** Moves those that share a point onto a small ring around it, so that each can be seen. `step` is in degrees of latitude. */
export function spread<T extends { longitude: number; latitude: number }>(items: T[], step: number): T[] {
  const byPoint = new Map<string, T[]>();
  for (const item of items) {
    const key = `${item.longitude},${item.latitude}`;
    byPoint.set(key, [...(byPoint.get(key) ?? []), item]);
  }
  return [...byPoint.values()].flatMap((group) =>
    group.length === 1
      ? group
      : group.map((item, index) => {
          const ring = 1 + Math.floor(index / 8);
          const angle = (2 * Math.PI * index) / Math.min(8, group.length);
          return { ...item, latitude: item.latitude + ring * step * Math.sin(angle), longitude: item.longitude + (ring * step * 1.6 * Math.cos(angle)) / Math.cos((item.latitude * Math.PI) / 180) };
        }),
  );
}
