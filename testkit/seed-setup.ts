// For vitest, before each file of tests: property tests use the seed of the run.
import fc from 'fast-check';
import { testSeed } from './seed.ts';

fc.configureGlobal({ seed: testSeed });
