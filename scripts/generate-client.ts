// Writes src/client/gen/api.ts from the service's document; with --check only compares.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { apiDocument } from '../testkit/http/api-document.ts';
import { clientTypes } from './client-types.ts';

const root = join(import.meta.dirname, '..');
const path = 'src/client/gen/api.ts';

const fresh = execFileSync(join(root, 'node_modules/.bin/biome'), ['format', `--stdin-file-path=${path}`], {
  cwd: root,
  input: clientTypes(await apiDocument()),
  encoding: 'utf8',
  maxBuffer: 16 * 1024 * 1024,
});
if (process.argv[2] !== '--check') writeFileSync(join(root, path), fresh);
else if (readFileSync(join(root, path), 'utf8') !== fresh) {
  process.stderr.write(`${path} is not what the API is; run "npm run generate:client" and commit the result.\n`);
  process.exitCode = 1;
}
