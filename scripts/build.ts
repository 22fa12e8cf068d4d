import { buildDist } from './bundle.ts';

await buildDist();
