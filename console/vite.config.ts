import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';

// `npm run dev` serves the sources and passes requests of the API on to this server.
const server = process.env.VIGIE ?? 'http://127.0.0.1:8080';
const routes =
  '^/(adverts|cities|console/session|deliveries|departments|docs|documents|indicators|keys|map|matches|properties|public|searches|site_categories|sites|status|usage|webhook-).*';

export default defineConfig({
  base: '/console/',
  plugins: [svelte()],
  build: {
    outDir: 'dist',
    // The same bytes on every machine: nothing is inlined by size, no source maps with paths.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2022',
    chunkSizeWarningLimit: 1200,
    // A chunk of its own, loaded with the first map.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'maplibre', test: /node_modules.(maplibre-gl|@mapbox|@maplibre)/ }] } } },
  },
  // A busy machine is no failure.
  test: { testTimeout: 0 },
  server: { proxy: { [routes]: { target: server, changeOrigin: true } } },
});
