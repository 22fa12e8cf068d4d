import { describe, expect, it } from 'vitest';
import { DeleteStrategy } from './delete-strategy.ts';

const pid = 7;
const million = 1_000_000;

describe('the choice between commands and a replace', () => {
  it('sends two commands to a worker without a measurement, and never replaces its map', () => {
    const strategy = new DeleteStrategy();
    expect(strategy.perTurn(pid, million)).toBe(2);
    expect(strategy.prefersReplace(pid, million, 1_000_000, 0)).toBe(false);
    expect(strategy.budgetSpent(pid, million, 60_000, 0)).toBe(false);
  });

  it.each([
    { each: 0.09, perTurn: 100, byReplace: 28_889 },
    { each: 0.9, perTurn: 44, byReplace: 2_889 },
    { each: 5, perTurn: 8, byReplace: 521 },
    { each: 25, perTurn: 1, byReplace: 105 },
    { each: 300, perTurn: 1, byReplace: 9 },
  ])('with commands of $each ms at a million takes $perTurn a turn, and replaces from $byReplace on', (row) => {
    const strategy = new DeleteStrategy();
    strategy.record(pid, million, 10, row.each * 10);
    expect(strategy.perTurn(pid, million)).toBe(row.perTurn);
    expect(strategy.prefersReplace(pid, million, row.byReplace - 1, 0)).toBe(false);
    expect(strategy.prefersReplace(pid, million, row.byReplace, 0)).toBe(true);
  });

  it('limits the removals of a group by the slowest worker, assuming a scan without measurements', () => {
    const strategy = new DeleteStrategy();
    expect(strategy.perGroup([pid], 200_000)).toBe(58);
    strategy.record(pid, 200_000, 10, 10);
    expect(strategy.perGroup([pid], 200_000)).toBe(350);
    strategy.record(8, 200_000, 10, 70);
    expect(strategy.perGroup([pid, 8], 200_000)).toBe(50);
    strategy.record(9, million, 1, 500);
    expect(strategy.perGroup([9], million)).toBe(1);
    expect(strategy.perGroup([pid, 8], 900)).toBe(Number.POSITIVE_INFINITY);
    expect(strategy.perGroup([], 200_000)).toBe(Number.POSITIVE_INFINITY);
    const fast = new DeleteStrategy({ scans: () => false });
    expect(fast.perGroup([pid], million)).toBe(Number.POSITIVE_INFINITY);
  });

  it('knows that a scan grows with the map, and that each worker has its own speed', () => {
    const strategy = new DeleteStrategy();
    strategy.record(pid, 100_000, 4, 8);
    expect(strategy.commandMs(pid, 100_000)).toBeCloseTo(2);
    expect(strategy.commandMs(pid, million)).toBeCloseTo(20);
    expect(strategy.commandMs(8, million)).toBe(null);
  });

  it('adapts to measured commands and replaces', () => {
    const strategy = new DeleteStrategy();
    strategy.record(pid, million, 1, 40);
    for (let n = 0; n < 20; n += 1) strategy.record(pid, million, 10, 50);
    expect(strategy.commandMs(pid, million)).toBeCloseTo(5, 0);
    expect(strategy.prefersReplace(pid, million, 600, 0)).toBe(true);
    for (let n = 0; n < 20; n += 1) strategy.recordReplace(million, 10_000);
    expect(strategy.prefersReplace(pid, million, 600, 0)).toBe(false);
  });

  it('measures commands by element and by key separately', () => {
    const strategy = new DeleteStrategy({ mayReplace: () => false });
    strategy.record(pid, million, 100, 10);
    expect(strategy.perTurn(pid, million, 'element')).toBe(2);
    strategy.record(pid, million, 2, 24, 'element');
    expect(strategy.perTurn(pid, million, 'element')).toBe(3);
    expect(strategy.perTurn(pid, million)).toBe(100);
    expect(strategy.perTurn(pid, million, 'line')).toBe(2);
    strategy.forget(pid);
    expect(strategy.commandMs(pid, million, 'element')).toBe(null);
  });

  it('stops commands once they have cost as much as a replace', () => {
    const strategy = new DeleteStrategy();
    strategy.record(pid, million, 1, 20);
    expect(strategy.budgetSpent(pid, million, 2_000, 0)).toBe(false);
    expect(strategy.budgetSpent(pid, million, 3_000, 0)).toBe(true);
  });

  it('counts the waits for turns: a replace of 200,000 takes a hundred', () => {
    const strategy = new DeleteStrategy();
    strategy.record(pid, 200_000, 10, 30);
    expect(strategy.prefersReplace(pid, 200_000, 250, 0)).toBe(true);
    expect(strategy.prefersReplace(pid, 200_000, 250, 200)).toBe(false);
    expect(strategy.prefersReplace(pid, 200_000, 1_000, 200)).toBe(false);
    expect(strategy.prefersReplace(pid, 200_000, 1_500, 200)).toBe(true);
    expect(strategy.budgetSpent(pid, 200_000, 5_000, 0)).toBe(true);
    expect(strategy.budgetSpent(pid, 200_000, 5_000, 200)).toBe(false);
    expect(strategy.budgetSpent(pid, 200_000, 25_000, 200)).toBe(true);
  });

  it('leaves half of 30,000 to a replace, at half a millisecond a delete', () => {
    const strategy = new DeleteStrategy();
    strategy.record(pid, 30_000, 2, 1);
    expect(strategy.prefersReplace(pid, 30_000, 15_000, 0)).toBe(true);
    expect(strategy.budgetSpent(pid, 30_000, 200, 0)).toBe(true);
  });

  it.each([
    ['2.3', false, false, false],
    ['2.6', true, false, true],
    ['3.0', true, true, false],
  ])(
    'considers a replace on versions that have map versions and scan on deletes: %s',
    (_version, versionedMaps, fastDeletes, pays) => {
      const strategy = new DeleteStrategy({ mayReplace: () => versionedMaps, scans: () => !fastDeletes });
      strategy.record(pid, million, 1, 20);
      expect(strategy.prefersReplace(pid, million, 1_000_000, 0)).toBe(pays);
      expect(strategy.budgetSpent(pid, million, 1_000_000, 0)).toBe(pays);
    },
  );

  it('never replaces where it is not allowed, and does not measure small maps', () => {
    const strategy = new DeleteStrategy({ mayReplace: () => false });
    strategy.record(pid, million, 1, 40);
    expect(strategy.prefersReplace(pid, million, 1_000_000, 0)).toBe(false);
    expect(strategy.perTurn(pid, million)).toBe(1);
    strategy.record(9, 50, 1, 40);
    expect(strategy.commandMs(9, 50)).toBe(null);
    expect(strategy.perTurn(9, 50)).toBe(100);
  });

  it('replaces a repair of more than ten seconds wherever a version can be filled', () => {
    const fast = new DeleteStrategy({ scans: () => false });
    fast.record(1, 1_000_000, 100, 9);
    expect(fast.takesTooLong(1, 1_000_000, 1_000_000, 0)).toBe(true);
    expect(fast.takesTooLong(1, 1_000_000, 100_000, 0)).toBe(false);
    expect(fast.prefersReplace(1, 1_000_000, 1_000_000, 0)).toBe(false);
    const old = new DeleteStrategy({ mayReplace: () => false });
    old.record(1, 1_000_000, 100, 9);
    expect(old.takesTooLong(1, 1_000_000, 1_000_000, 0)).toBe(false);
  });

  it('takes more commands a turn in lines, as long as these take less than its time', () => {
    const strategy = new DeleteStrategy();
    strategy.record(pid, million, 2, 0.02, 'line');
    expect(strategy.perTurn(pid, million, 'line')).toBe(1_000);
    expect(strategy.perTurn(pid, million)).toBe(2);
    const slow = new DeleteStrategy();
    slow.record(pid, million, 2, 0.2, 'line');
    expect(slow.perTurn(pid, million, 'line')).toBe(400);
    slow.forget(pid);
    expect(slow.perTurn(pid, million, 'line')).toBe(2);
  });
});
