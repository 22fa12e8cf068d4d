import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');

it('has the types of the current API', () => {
  const check = () =>
    execFileSync(process.execPath, [join(root, 'scripts/generate-client.ts'), '--check'], {
      encoding: 'utf8',
      stdio: 'pipe',
    });
  expect(check).not.toThrow();
});

it('imports only types of the service, and no Node modules in browser code', () => {
  const imports = (name: string) =>
    [...readFileSync(join(import.meta.dirname, name), 'utf8').matchAll(/^(?:import|export) .*? from '(.*?)';$/gms)].map(
      (match) => match[1] as string,
    );
  for (const name of ['gen/api.ts', 'api-problem.ts', 'client.ts']) {
    for (const from of imports(name))
      expect({ name, from }).toEqual({ name, from: expect.stringMatching(/^(\.\/|openapi-fetch$)/) });
  }
  for (const from of imports('node-client.ts')) expect(from).toMatch(/^(\.\/|node:|openapi-fetch$)/);
});
