import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const folder = fileURLToPath(new URL('gen/', import.meta.url));
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));

it('has a generated file for each .proto', () => {
  expect(files.sort()).toEqual(['controller/api/v1/error_pb.ts', 'errors/v1/errors_pb.ts']);
});

it.each(files)('%s needs nothing but its types stripped', (name) => {
  const text = readFileSync(join(folder, name), 'utf8');
  expect(text).not.toMatch(/^\s*(export )?(declare )?(const )?(enum|namespace) /m);
  for (const [, path] of text.matchAll(/from "(\..*?)"/g)) expect(path).toMatch(/\.ts$/);
});
