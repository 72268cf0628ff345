// The map library, which pages with a map load when they show one. Its worker is a file of ours: the policy of the page allows no other.

import * as maplibre from 'maplibre-gl';
import workerUrl from 'maplibre-gl/dist/maplibre-gl-worker.mjs?url';
import 'maplibre-gl/dist/maplibre-gl.css';

maplibre.setWorkerUrl(new URL(workerUrl, location.href).href);

export { maplibre };
