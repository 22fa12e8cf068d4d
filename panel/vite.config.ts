import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  root: import.meta.dirname,
  base: '/',
  plugins: [react()],
  // The service's own parser of addresses runs in the browser too; of Node it asks for two tests only.
  resolve: { alias: { 'node:net': join(import.meta.dirname, 'src/addresses/node-net.ts') } },
  // The service puts the nonce of each answer in its place.
  html: { cspNonce: '__CSP_NONCE__' },
  build: {
    outDir: 'built',
    emptyOutDir: true,
    target: 'es2023',
    // Nothing inline: the page's policy would refuse it.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
});
