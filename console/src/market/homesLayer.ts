// Properties on the map: cells with a count, points, and price labels from zoom 13.

import type { Feature } from 'geojson';
import type { ExpressionSpecification, GeoJSONSource, Map as LibreMap } from 'maplibre-gl';
import type { Formats } from '../format';
import { spread } from './geometry';

export interface Cell {
  longitude: number;
  latitude: number;
  count: number;
  bounds: [number, number, number, number];
}
export interface Home {
  id: string;
  longitude: number;
  latitude: number;
  price: number | null;
  pricePerMeter: number | null;
  surface: number | null;
  rooms: number | null;
  isExact: boolean;
}
export interface Clusters {
  totalItems: number;
  cells: Cell[];
  properties: Home[];
  took: number;
}

export interface Colours {
  accent: string;
  accentInk: string;
  paper: string;
  ink: string;
  line: string;
}

const FONT = ['system-ui', 'sans-serif'];

/** A rounded box that stretches to the text in it. */
function pill(fill: string, edge: string, dashed: boolean): ImageData {
  const [width, height, radius] = [48, 40, 12];
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext('2d')!;
  context.beginPath();
  context.roundRect(2, 2, width - 4, height - 4, radius);
  context.fillStyle = fill;
  context.fill();
  context.lineWidth = 2;
  context.strokeStyle = edge;
  if (dashed) context.setLineDash([4, 4]);
  context.stroke();
  return context.getImageData(0, 0, width, height);
}

export function addHomes(map: LibreMap, c: Colours): void {
  const stretch = { pixelRatio: 2, stretchX: [[16, 32]] as [number, number][], stretchY: [[16, 24]] as [number, number][], content: [10, 6, 38, 34] as [number, number, number, number] };
  map.addImage('label', pill(c.paper, c.accent, false), stretch);
  map.addImage('label-about', pill(c.paper, c.line, true), stretch);
  map.addImage('label-lit', pill(c.accent, c.accent, false), stretch);

  const empty = { type: 'FeatureCollection' as const, features: [] };
  for (const id of ['cells', 'homes', 'lit', 'areas', 'drawing']) map.addSource(id, { type: 'geojson', data: empty });

  map.addLayer({ id: 'areas-fill', type: 'fill', source: 'areas', paint: { 'fill-color': c.accent, 'fill-opacity': 0.1 } });
  map.addLayer({ id: 'areas-line', type: 'line', source: 'areas', paint: { 'line-color': c.accent, 'line-width': 2 } });
  // Sized by the logarithm of the count.
  const radius: ExpressionSpecification = ['+', 10, ['*', 4.2, ['log10', ['get', 'count']]]];
  map.addLayer({ id: 'cells', type: 'circle', source: 'cells', paint: { 'circle-radius': radius, 'circle-color': c.accent, 'circle-opacity': 0.88, 'circle-stroke-color': c.paper, 'circle-stroke-width': 1.5 } });
  map.addLayer({ id: 'cell-counts', type: 'symbol', source: 'cells', layout: { 'text-field': ['get', 'label'], 'text-font': FONT, 'text-size': 12, 'text-allow-overlap': true, 'text-padding': 6 }, paint: { 'text-color': c.accentInk } });
  map.addLayer({ id: 'homes', type: 'circle', source: 'homes', maxzoom: 13, paint: { 'circle-radius': 5, 'circle-color': ['case', ['get', 'isExact'], c.accent, c.paper], 'circle-stroke-color': ['case', ['get', 'isExact'], c.paper, c.accent], 'circle-stroke-width': 1.5 } });
  // Names of places make room for what cannot be seen here, and so for the dots.
  map.addLayer({ id: 'home-room', type: 'symbol', source: 'homes', maxzoom: 13, layout: { 'text-field': '●', 'text-font': FONT, 'text-size': 8, 'text-allow-overlap': true, 'text-padding': 1 }, paint: { 'text-opacity': 0 } });
  map.addLayer({ id: 'home-dots', type: 'circle', source: 'homes', minzoom: 13, paint: { 'circle-radius': 3, 'circle-color': c.accent, 'circle-stroke-color': c.paper, 'circle-stroke-width': 1 } });
  map.addLayer({ id: 'home-labels', type: 'symbol', source: 'homes', minzoom: 13, layout: { 'icon-image': ['case', ['get', 'isExact'], 'label', 'label-about'], 'icon-text-fit': 'both', 'text-field': ['get', 'label'], 'text-font': FONT, 'text-size': 12, 'icon-allow-overlap': ['step', ['zoom'], false, 15, true], 'text-allow-overlap': ['step', ['zoom'], false, 15, true], 'text-padding': 1 }, paint: { 'text-color': c.ink } });
  map.addLayer({ id: 'lit-dot', type: 'circle', source: 'lit', paint: { 'circle-radius': 8, 'circle-color': c.accent, 'circle-stroke-color': c.paper, 'circle-stroke-width': 2 } });
  map.addLayer({ id: 'lit-label', type: 'symbol', source: 'lit', layout: { 'icon-image': 'label-lit', 'icon-text-fit': 'both', 'text-field': ['get', 'label'], 'text-font': FONT, 'text-size': 12, 'icon-allow-overlap': true, 'text-allow-overlap': true }, paint: { 'text-color': c.accentInk } });
  map.addLayer({ id: 'drawing-fill', type: 'fill', source: 'drawing', filter: ['==', ['geometry-type'], 'Polygon'], paint: { 'fill-color': c.accent, 'fill-opacity': 0.15 } });
  map.addLayer({ id: 'drawing-line', type: 'line', source: 'drawing', paint: { 'line-color': c.accent, 'line-width': 2, 'line-dasharray': [2, 1] } });
  map.addLayer({ id: 'drawing-points', type: 'circle', source: 'drawing', filter: ['==', ['geometry-type'], 'Point'], paint: { 'circle-radius': 5, 'circle-color': c.paper, 'circle-stroke-color': c.accent, 'circle-stroke-width': 2 } });
}

export function setData(map: LibreMap, source: string, features: Feature[]): void {
  (map.getSource(source) as GeoJSONSource | undefined)?.setData({ type: 'FeatureCollection', features });
}

export function showClusters(map: LibreMap, clusters: Clusters, f: Formats): void {
  setData(map, 'cells', clusters.cells.map((cell) => ({ type: 'Feature', geometry: { type: 'Point', coordinates: [cell.longitude, cell.latitude] }, properties: { count: cell.count, label: cell.count < 10_000 ? f.number(cell.count) : f.compact(cell.count), bounds: cell.bounds } })));
  // About 24 pixels, in degrees.
  const step = (24 * 360) / (512 * 2 ** map.getZoom());
  const homes = map.getZoom() >= 15 ? spread(clusters.properties, step) : clusters.properties;
  setData(map, 'homes', homes.map((home) => homeFeature(home, f)));
}

export function homeFeature(home: Home, f: Formats): Feature {
  return { type: 'Feature', geometry: { type: 'Point', coordinates: [home.longitude, home.latitude] }, properties: { id: home.id, isExact: home.isExact, label: home.price === null ? '–' : f.label(home.price) } };
}
