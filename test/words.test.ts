// The words that CONTRIBUTING.md ("How we write") avoids.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');

const avoided = [
  // A client, a worker, an operator or another process is meant.
  'nobody|somebody|whoever|anybody|everybody|no one|someone|anyone|everyone',
  'he|him|his|himself',
  'strangers?|foreigners?',
  // Pictures: the word of the field is in the glossary.
  'whole (?:set|list)',
  'of one mind',
  'gives? way',
  'anew',
  'asked again',
  'behind (?:its|his|the|their) back',
  '(?:is|are|was|were|be|been) told',
  'tells? (?:of|whether)',
  'not looked at|looks? at|glances?',
  '(?:is|are|was|were) seen to',
  'come by then',
  'those (?:that|which|who) end',
  'put right',
  'mend(?:s|ed|ing)?',
  'made up for',
  'for good',
  'lets? in|turned away',
  'left over',
  'neither done nor undone',
  'stands? (?:\\w+ )?twice',
  'what differs',
  'at most so (?:many|much|long)',
  'big (?:changes?|lists?|batch(?:es)?)|long work',
  'keyless|unkeyed',
  'rows? by hand',
  'stray (?:entry|entries|rows?)',
  'known weakness(?:es)?|weak spots?',
];
// The same in a name.
const inNames = /(?:^|[a-z])(?:Nobody|Somebody|Whoever|Anybody|Everybody|Stranger|Keyless|BigChange)/g;
const pattern = new RegExp(`\\b(?:${avoided.join('|')})\\b`, 'gi');

/** The word is what is meant: at most 40. */
const natural: readonly (readonly [path: string, text: string])[] = [
  // A regular expression for The and the.
  ['test/promises.test.ts', '[Tt]he'],
  // Machine-readable.
  ['src/cli/connection/failure-text.ts', "foreign: 'stranger'"],
  ['src/cli/connection/connection.test.ts', "'foreign', 'stranger'"],
  ['CONTRIBUTING.md', 'Avoid *nobody*, *somebody*, *whoever*, *everybody*, and *he* or *his* for a process'],
];

const areas = [
  ...globSync('src/*/', { cwd: root }),
  ...[
    'src/*.ts',
    'panel/src',
    'docs',
    'packaging',
    '*.md',
    'test',
    'testkit',
    'chaos',
    'bench',
    'scripts/*',
    'bin/*',
    '.github/**/*.md',
  ],
];
const excluded = /(?:^|\/)gen\/|^docs\/reliability\.md$|^test\/words\.test\.ts$|^testkit\/transcripts\//;

function usesIn(area: string): string[] {
  const files = area.includes('*')
    ? area
    : `${area.replace(/\/$/, '')}/**/*.{ts,tsx,md,svg,yml,json,1,service,logrotate}`;
  return globSync(files, { cwd: root })
    .filter((path) => !excluded.test(path))
    .flatMap((path) => {
      let text = readFileSync(join(root, path), 'utf8');
      for (const [where, use] of natural) if (where === path) text = text.replaceAll(use, '');
      return text.split('\n').flatMap((line, index) => {
        const words = [...(line.match(pattern) ?? []), ...(line.match(inNames) ?? [])];
        return words.map((word) => `${path}:${index + 1} ${word}`);
      });
    });
}

describe('words to avoid', () => {
  it.each(areas)('are not used in %s', (area) => {
    expect(usesIn(area)).toEqual([]);
  });

  it('have at most 40 natural uses, each of which exists', () => {
    expect(natural.length).toBeLessThanOrEqual(40);
    const gone = natural.filter(([path, use]) => !readFileSync(join(root, path), 'utf8').includes(use));
    expect(gone).toEqual([]);
  });
});
