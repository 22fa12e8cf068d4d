// The test files of part "versions" of `npm run test:long`.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const imports = /^import \{([^}]*)\} from '[./]*\/(testkit\/)?proxies\.ts';$/m;
/** What runs a part of the cases, or on a part of the versions, in `npm test`. */
const samples =
  /\b(longTests|itInLongTests|caseCount|sampled|dealt|isDealtTo|isOnlyProxyFor|describeOn(Product|One|Newest)(Proxies|Proxy))\b/;

export function wholeProductTests(root: string): string[] {
  return testsBelow(root, 'test');
}

/** Of single parts: those of which `npm test` runs a sample. */
export function sampledTests(root: string): string[] {
  return ['src', 'testkit', 'panel/src', 'bench', 'chaos']
    .flatMap((folder) => testsBelow(root, folder))
    .filter((path) => isSampled(readFileSync(join(root, path), 'utf8')));
}

export function isSampled(test: string): boolean {
  return samples.test(imports.exec(test)?.[1] ?? '');
}

function testsBelow(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => `${folder}/${name}`)
    .sort();
}
