import { expect, it } from 'vitest';
import { contradictions, expectedAfter } from './expected.ts';
import { heldBefore, type Operation } from './recording.ts';

const operation = (id: string, changes: Record<string, boolean>): Operation => ({
  id,
  what: id,
  changes: new Map(Object.entries(changes)),
});
const operations = [
  operation('op-1', { a: true, b: true }),
  operation('op-2', { a: false }),
  operation('op-3', { a: true }),
];
const after = (...acknowledged: string[]) => expectedAfter(operations, new Set(acknowledged));

it('the last acknowledged state holds, or that of the next operation', () => {
  expect(after('op-1').get('a')).toEqual(new Set([true, false]));
  expect(after('op-1').get('b')).toEqual(new Set([true]));
  expect(after('op-1', 'op-2', 'op-3').get('a')).toEqual(new Set([true]));
  expect(after().get('a')).toEqual(new Set([false, true]));
});

it('reports missing, surplus and never requested entries', () => {
  const blocked = new Set([...heldBefore.slice(1), 'a', 'extra']);
  expect(contradictions(after('op-1', 'op-2', 'op-3'), blocked)).toEqual([
    `${heldBefore[0]} is not blocked`,
    'b is not blocked',
    'extra is blocked, and was never requested',
  ]);
});
