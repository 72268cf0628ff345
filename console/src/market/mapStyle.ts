// The base map: our own outlines, names and stations, in the colours of the console.

import type { StyleSpecification } from 'maplibre-gl';

const light = { sea: '#dbe7ec', land: '#f7f6f2', border: '#b9c0c4', commune: '#dcdfe0', name: '#4a545c', halo: '#ffffff', station: '#5b6b9a' };
const dark = { sea: '#0d151b', land: '#1b2025', border: '#48525b', commune: '#2c333a', name: '#b3bdc6', halo: '#12161a', station: '#a9b8ea' };

const FONT = ['system-ui', 'sans-serif'];

export function baseStyle(isDark: boolean, origin: string): StyleSpecification {
  const c = isDark ? dark : light;
  return {
    version: 8,
    sources: { base: { type: 'vector', tiles: [`${origin}/map/{z}/{x}/{y}`], minzoom: 0, maxzoom: 14 } },
    layers: [
      { id: 'sea', type: 'background', paint: { 'background-color': c.sea } },
      { id: 'land', type: 'fill', source: 'base', 'source-layer': 'land', paint: { 'fill-color': c.land, 'fill-antialias': false } },
      { id: 'departments-fill', type: 'fill', source: 'base', 'source-layer': 'departments', paint: { 'fill-color': c.land, 'fill-antialias': false } },
      { id: 'communes', type: 'line', source: 'base', 'source-layer': 'communes', minzoom: 8, paint: { 'line-color': c.commune, 'line-width': ['interpolate', ['linear'], ['zoom'], 8, 0.4, 13, 1.2] } },
      { id: 'departments', type: 'line', source: 'base', 'source-layer': 'departments', paint: { 'line-color': c.border, 'line-width': ['interpolate', ['linear'], ['zoom'], 4, 0.5, 12, 1.6] } },
      { id: 'stations', type: 'circle', source: 'base', 'source-layer': 'stations', minzoom: 11, paint: { 'circle-radius': ['interpolate', ['linear'], ['zoom'], 11, 1.5, 13, 2.5, 15, 4], 'circle-color': c.station, 'circle-stroke-color': c.halo, 'circle-stroke-width': 1 } },
      { id: 'station-names', type: 'symbol', source: 'base', 'source-layer': 'stations', minzoom: 13.5, layout: { 'text-field': ['get', 'name'], 'text-font': FONT, 'text-size': 11, 'text-offset': [0, 0.9], 'text-anchor': 'top', 'text-optional': true }, paint: { 'text-color': c.station, 'text-halo-color': c.halo, 'text-halo-width': 1.2 } },
      { id: 'places', type: 'symbol', source: 'base', 'source-layer': 'places', layout: { 'text-field': ['get', 'name'], 'text-font': FONT, 'text-size': ['interpolate', ['linear'], ['zoom'], 5, 11, 12, 14], 'text-padding': 4, 'text-variable-anchor': ['center', 'top', 'bottom', 'left', 'right'], 'text-radial-offset': 1, 'symbol-sort-key': ['-', 0, ['coalesce', ['to-number', ['get', 'population']], 0]] }, paint: { 'text-color': c.name, 'text-halo-color': c.halo, 'text-halo-width': 1.4 } },
    ],
  };
}

/** Mainland France. */
export const FRANCE: [number, number, number, number] = [-5.2, 41.3, 9.6, 51.1];
