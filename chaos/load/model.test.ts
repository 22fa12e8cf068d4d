import { describe, expect, it } from 'vitest';
import { BlockedModel } from './model.ts';

const a = '127.1.0.1';
const b = '127.1.0.2';
const list = (...addresses: string[]): ReadonlySet<string> => new Set(addresses);

describe('the model', () => {
  it('knows the acknowledged state, and none while a change is under way', () => {
    const model = new BlockedModel([a, b]);
    expect(model.of(a)).toBe('free');
    const end = model.begin(a);
    expect(model.of(a)).toBe('either');
    expect(model.of(b)).toBe('free');
    end('blocked');
    expect(model.of(a)).toBe('blocked');
  });

  it('lets a PUT decide every address that no other operation changed meanwhile', () => {
    const model = new BlockedModel([a, b]);
    model.begin(a)('blocked');
    const end = model.beginPut(list(b));
    expect([model.of(a), model.of(b)]).toEqual(['either', 'either']);
    end('done');
    expect([model.of(a), model.of(b)]).toEqual(['free', 'blocked']);
  });

  it.each([
    [
      'begun before it and ended within',
      (model: BlockedModel, put: () => void, ended: () => void) => {
        const end = model.begin(a);
        put();
        end('blocked');
        ended();
      },
    ],
    [
      'begun and ended within',
      (model: BlockedModel, put: () => void, ended: () => void) => {
        put();
        model.begin(a)('blocked');
        ended();
      },
    ],
    [
      'begun within and ended after it',
      (model: BlockedModel, put: () => void, ended: () => void) => {
        put();
        const end = model.begin(a);
        ended();
        end('blocked');
      },
    ],
    [
      'around it',
      (model: BlockedModel, put: () => void, ended: () => void) => {
        const end = model.begin(a);
        put();
        ended();
        end('blocked');
      },
    ],
  ])('allows either state where a change and a PUT disagree: %s', (_, run) => {
    for (const [said, expected] of [
      [list(), 'either'],
      [list(a), 'blocked'],
    ] as const) {
      const model = new BlockedModel([a]);
      let end: (outcome: 'done') => void = () => undefined;
      run(
        model,
        () => (end = model.beginPut(said)),
        () => end('done'),
      );
      expect(model.of(a)).toBe(expected);
      model.begin(a)('free');
      expect(model.of(a)).toBe('free');
    }
  });

  it('allows every state after a PUT with an unknown outcome', () => {
    const model = new BlockedModel([a]);
    model.beginPut(list(a))('unknown');
    expect(model.of(a)).toBe('either');
  });
});
