import { expect, it } from 'vitest';
import { UsageError } from '../testkit/command-line.ts';
import { readOptions } from './options.ts';

const faults = ['one', 'two'];

it('the command line has defaults for everything', () => {
  expect(readOptions([], faults)).toEqual({
    rounds: 20,
    seed: 1,
    from: null,
    proxyBin: 'haproxy',
    faults,
    only: null,
    out: null,
    keep: false,
    shrink: 30,
    tell: false,
    help: false,
  });
});

it('the command line takes some of the faults, or none', () => {
  expect(readOptions(['--only', 'two, one'], faults)).toMatchObject({ faults: ['two', 'one'], only: 'two, one' });
  expect(readOptions(['--only', 'none'], faults)).toMatchObject({ faults: [] });
});

it.each([
  [['--rounds', '0'], /--rounds takes a whole number from 1/],
  [['--seed', '-1'], /--seed/],
  [['--from', '1.5'], /--from takes a whole number/],
  [['--only', 'one,three'], /"three" is none/],
  [['--nonsense'], /--nonsense/],
])('the command line %j is refused with what is wrong', (args, why) => {
  expect(() => readOptions(args, faults)).toThrow(UsageError);
  expect(() => readOptions(args, faults)).toThrow(why);
});
