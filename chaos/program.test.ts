import { expect, it } from 'vitest';
import { visitorsOf } from './addresses.ts';
import { isOfManaged, programOf, type Step } from './program.ts';

const faults = [{ name: 'one' }, { name: 'two' }, { name: 'three' }, { name: 'lonely', alone: true }];
const many = Array.from({ length: 300 }, (_, n) => programOf(7, n + 1, faults));
const struckIn = (steps: readonly Step[]) => steps.flatMap((step) => (step.kind === 'fault' ? [step.fault] : []));

it('a program is the same for the same seed and round, and another one for any other', () => {
  expect(programOf(7, 12, faults)).toEqual(programOf(7, 12, faults));
  expect(new Set(many.map(({ steps }) => JSON.stringify(steps))).size).toBe(many.length);
  expect(programOf(8, 12, faults).steps).not.toEqual(programOf(7, 12, faults).steps);
});

it('programs contain every operation and fault, in order of time', () => {
  const steps = many.flatMap((program) => program.steps);
  const operations = new Set(steps.flatMap((step) => (step.kind === 'operation' ? [step.operation.op] : [])));
  expect([...operations].sort()).toEqual([
    ...['batch', 'bind', 'block', 'distrust', 'hold', 'keep', 'put', 'release', 'reload', 'remove-site'],
    ...['remove-upstream', 'restart', 'set-site', 'set-upstream', 'spoof', 'sync', 'trust', 'trust-for', 'unblock'],
    ...['unblock-all', 'undo', 'visit', 'visit-through'],
  ]);
  expect(new Set(struckIn(steps))).toEqual(new Set(['one', 'two', 'three', 'lonely']));
  for (const program of many) {
    const times = program.steps.map(({ at }) => at);
    expect(times).toEqual([...times].sort((a, b) => a - b));
  }
});

it('a program without sites and upstreams has the same other operations', () => {
  const [whole, without] = [many, many.map(({ round }) => programOf(7, round, faults, { sites: false }))].map(
    (programs) => programs.flatMap(({ steps }) => steps),
  );
  const isOfSite = (step: Step | undefined) => step?.kind === 'operation' && isOfManaged(step.operation);
  expect(without?.filter(isOfSite)).toEqual([]);
  expect(whole?.some(isOfSite)).toBe(true);
  for (const [index, step] of (whole ?? []).entries()) if (!isOfSite(step)) expect(without?.[index]).toEqual(step);
});

it('no two faults of a round affect the same part', () => {
  const held = programsOf([{ name: 'one', holds: 'socket' }, { name: 'two', holds: 'socket' }, { name: 'three' }]);
  expect(new Set(held)).toEqual(new Set(['', 'one', 'two', 'three', 'one three', 'three two']));
});

it('a fault may affect several parts', () => {
  const held = programsOf([
    { name: 'one', holds: ['socket', 'operator'] },
    { name: 'two', holds: 'socket' },
    { name: 'three', holds: 'operator' },
  ]);
  expect(new Set(held)).toEqual(new Set(['', 'one', 'two', 'three', 'three two']));
});

const programsOf = (among: Parameters<typeof programOf>[2]) =>
  Array.from({ length: 300 }, (_, n) =>
    struckIn(programOf(8, n + 1, among).steps)
      .sort()
      .join(' '),
  );

it('a fault that must be alone is alone, and some rounds have none', () => {
  const struck = many.map(({ steps }) => struckIn(steps));
  for (const names of struck) if (names.includes('lonely')) expect(names).toEqual(['lonely']);
  expect(struck.some((names) => names.length === 0)).toBe(true);
  expect(struck.some((names) => names.length === 3)).toBe(true);
});

it('no visit comes from a network or from an IPv6 address', () => {
  expect(visitorsOf('127.51.2.0/29')).toEqual(['127.51.2.1', '127.51.2.6']);
  expect(visitorsOf('2001:db8:c::1')).toEqual([]);
});
