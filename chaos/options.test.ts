import { expect, it } from 'vitest';
import { UsageError } from '../testkit/command-line.ts';
import { readOptions } from './options.ts';

const faults = ['one', 'two'];
const names = { managed: faults, attached: ['two', 'three'], certificates: [...faults, 'four'] };

it('the command line has defaults for everything', () => {
  expect(readOptions([], names)).toEqual({
    rounds: 20,
    seed: 1,
    from: null,
    proxyBin: 'haproxy',
    attached: false,
    certificates: false,
    faults,
    only: null,
    out: null,
    keep: false,
    shrink: 30,
    verbose: false,
    help: false,
  });
});

it('the command line selects some faults, or none', () => {
  expect(readOptions(['--only', 'two, one'], names)).toMatchObject({ faults: ['two', 'one'], only: 'two, one' });
  expect(readOptions(['--only', 'none'], names)).toMatchObject({ faults: [] });
});

it('the command line of an attached stack has other faults', () => {
  expect(readOptions(['--attached'], names)).toMatchObject({ attached: true, faults: ['two', 'three'] });
  expect(readOptions(['--certificates', '--only', 'four'], names)).toMatchObject({
    certificates: true,
    faults: ['four'],
  });
  expect(() => readOptions(['--attached', '--certificates'], names)).toThrow(/exclude each other/);
  expect(() => readOptions(['--attached', '--only', 'one'], names)).toThrow(/"one" is none/);
});

it.each([
  [['--rounds', '0'], /--rounds takes a whole number from 1/],
  [['--seed', '-1'], /--seed/],
  [['--from', '1.5'], /--from takes a whole number/],
  [['--only', 'one,three'], /"three" is none/],
  [['--nonsense'], /--nonsense/],
])('the command line %j is refused with what is wrong', (args, why) => {
  expect(() => readOptions(args, names)).toThrow(UsageError);
  expect(() => readOptions(args, names)).toThrow(why);
});
