// `op` of a problem document is for clients: it names the operation, not a function.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const source = join(import.meta.dirname, '..');

test('every operation that an error names is plain lower-case words', async () => {
  const files = await readdir(source, { recursive: true });
  const operations = new Set<string>();
  for (const file of files.filter((name) => /(?<!\.test)\.ts$/.test(name) && !/(^|\/)gen\//.test(name))) {
    const text = await readFile(join(source, file), 'utf8');
    const made = text.matchAll(/new ServiceError\(\s*[^,'"`]+,\s*'([^']*)'|toConfigurationError\([^,]+,\s*'([^']*)'/g);
    for (const [, first, second] of made) operations.add(first ?? second ?? '');
    for (const [, op] of text.matchAll(/\bop: '([^']*)',\s*detail/g)) operations.add(op ?? '');
    for (const [, name] of text.matchAll(/new ServiceError\(\s*[^,]+,\s*(\w+),/g)) {
      const constant = new RegExp(`^const ${name} = '([^']*)'`, 'm').exec(text);
      if (constant !== null) operations.add(constant[1] ?? '');
    }
  }
  expect(operations.size).toBeGreaterThan(20);
  expect([...operations].filter((operation) => !/^[a-z]+( [a-z]+)*$/.test(operation))).toEqual([]);
});
