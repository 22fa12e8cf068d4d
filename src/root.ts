import { join } from 'node:path';

/** The folder of `package.json`: `src`, which runs in a checkout, and `dist`, which `npm run build` writes, are in it. */
export const root = join(import.meta.dirname, '..');
