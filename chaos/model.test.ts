import { describe, expect, it } from 'vitest';
import { absent, listed, Model, permanent, presentSomehow } from './model.ts';

const ip = '127.50.0.1';

function may(model: Model, at: number, proof: 'acknowledged' | 'enforced' = 'acknowledged'): string {
  const { present, absent: lacking } = model.mayBe(ip, at, at, proof);
  return [present ? 'blocked' : '', lacking ? 'open' : ''].filter((word) => word !== '').join(' or ');
}

describe('the model', () => {
  it('expects nothing at first', () => {
    expect(may(new Model(), 5)).toBe('open');
  });

  it('allows both while an operation is under way, and only its outcome when it is acknowledged', () => {
    const model = new Model();
    const pending = model.begin(ip, 10, [permanent]);
    expect(may(model, 9)).toBe('open');
    expect(may(model, 10)).toBe('blocked or open');
    pending.done(20, [permanent], true);
    expect(may(model, 19)).toBe('blocked or open');
    expect(may(model, 20)).toBe('blocked');
  });

  it('allows both states without an answer, until an observation decides', () => {
    const model = new Model();
    model.begin(ip, 10, [permanent]);
    expect(may(model, 1_000)).toBe('blocked or open');
    model.settle(ip, permanent);
    expect(may(model, 1_000)).toBe('blocked');
  });

  it('drops a rejected operation', () => {
    const model = new Model();
    model.begin(ip, 10, [permanent]).refused();
    expect(may(model, 20)).toBe('open');
  });

  it('lets an unanswered operation come after an acknowledged one that began later', () => {
    const model = new Model();
    model.begin(ip, 10, [permanent]);
    model.begin(ip, 20, [absent]).done(30, [absent], true);
    expect(may(model, 40)).toBe('blocked or open');
  });

  it('lets either of two that overlapped be the last, and the later of two that did not', () => {
    const model = new Model();
    const block = model.begin(ip, 10, [permanent]);
    const unblock = model.begin(ip, 15, [absent]);
    block.done(20, [permanent], true);
    unblock.done(25, [absent], true);
    expect(may(model, 30)).toBe('blocked or open');
    model.begin(ip, 26, [permanent]).done(30, [permanent], true);
    expect(may(model, 30)).toBe('blocked');
  });

  it('does not expect HAProxy to enforce what was acknowledged without verification', () => {
    const model = new Model();
    model.begin(ip, 10, [permanent]).done(20, [permanent], false);
    expect(may(model, 30)).toBe('blocked');
    expect(may(model, 30, 'enforced')).toBe('blocked or open');
  });

  it('allows what was true at either end of an observation', () => {
    const model = new Model();
    model.begin(ip, 10, [permanent]).done(20, [permanent], true);
    model.begin(ip, 50, [absent]).done(60, [absent], true);
    expect(model.mayBe(ip, 30, 49, 'enforced')).toEqual({ present: true, absent: false });
    expect(model.mayBe(ip, 30, 55, 'enforced')).toEqual({ present: true, absent: true });
    expect(model.mayBe(ip, 60, 61, 'enforced')).toEqual({ present: false, absent: true });
  });

  it('lets an entry expire at its time and not before, and keeps an expired entry possible until the end of the round', () => {
    const model = new Model();
    model.begin(ip, 10, [presentSomehow]).done(20, [{ present: true, until: 1_000 }], true);
    expect(may(model, 999)).toBe('blocked');
    expect(may(model, 1_000)).toBe('blocked or open');
    expect(may(model, 60_000)).toBe('blocked or open');
    model.settle(ip, absent);
    expect(may(model, 60_000)).toBe('open');
  });

  it('lets a list element keep the expiry of a block, and makes new or expired ones permanent', () => {
    const temporary = { present: true, until: 1_000 } as const;
    const model = new Model();
    model.begin(ip, 10, [presentSomehow]).done(20, [temporary], true);
    const list = model.begin(ip, 30, [permanent, presentSomehow]);
    expect(listed(list.found(30, 40), 40)).toEqual([temporary]);
    expect(listed(list.found(30, 1_001), 1_001)).toEqual([temporary, permanent]);
    model.begin(ip, 50, [absent]).done(60, [absent], true);
    expect(listed(list.found(60, 70), 70)).toEqual([permanent]);
    expect(listed([permanent], 70)).toEqual([permanent]);
  });
});
