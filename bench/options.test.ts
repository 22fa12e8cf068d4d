import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../testkit/command-line.ts';
import { readOptions, usage } from './options.ts';

const rows = ['put', 'block', 'sync'];
const read = (...args: string[]) => readOptions(args, rows);

describe('the command line', () => {
  it('has defaults', () => {
    expect(read()).toEqual({
      sizes: [1_000, 1_000_000],
      proxyBin: 'haproxy',
      only: null,
      json: null,
      lists: [],
      help: false,
    });
  });

  it('accepts sizes in any order, each once', () => {
    expect(read('--entries', '50, 10,50').sizes).toEqual([10, 50]);
  });

  it('accepts rows, a proxy and files', () => {
    const json = join(tmpdir(), 'figures.json');
    const options = read('--only', 'sync,block', '--proxy-bin', '/x', '--json', json, '--list', import.meta.filename);
    expect(options).toMatchObject({ only: ['sync', 'block'], proxyBin: '/x', json, lists: [import.meta.filename] });
  });

  it('shows help before it checks anything', () => {
    expect(read('--help', '--entries', 'x').help).toBe(true);
    expect(usage(rows)).toContain('put, block, sync');
  });

  it.each([
    [['--entries', '0'], '--entries takes whole numbers'],
    [['--entries', '1e3'], '--entries takes whole numbers'],
    [['--entries', '10,'], '--entries takes whole numbers'],
    [['--entries', '-5'], '--entries'],
    [['--entries', '99999999'], '--entries takes whole numbers from 1 to 8000000'],
    [['--only', 'block,frob'], '--only takes some of put, block, sync with commas; "frob" is none'],
    [['--only', ''], '--only takes some of'],
    [['--json', '/nowhere/x.json'], '--json cannot be written'],
    [['--json', tmpdir()], '--json takes a file'],
    [['--list', '/nowhere/x.txt'], '--list cannot be read'],
    [['--list', tmpdir()], '--list takes a file'],
    [['--frob'], '--frob'],
    [['block'], 'block'],
  ])('refuses %j', (args, message) => {
    expect(() => read(...args)).toThrow(UsageError);
    expect(() => read(...args)).toThrow(message);
  });
});
