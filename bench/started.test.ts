import { describe, expect, it } from 'vitest';
import { Started } from './started.ts';

function thing(name: string, stopped: string[], fails = false) {
  return {
    async stop(): Promise<void> {
      stopped.push(name);
      if (fails) throw new Error(`${name} would not`);
    },
  };
}

describe('the started processes', () => {
  it('are stopped in reverse order, even if one fails', async () => {
    const stopped: string[] = [];
    const started = new Started();
    await started.start(async () => thing('a', stopped));
    await started.start(async () => thing('b', stopped, true));
    await started.start(async () => thing('c', stopped));
    expect(await started.stopAll()).toEqual([new Error('b would not')]);
    expect(stopped).toEqual(['c', 'b', 'a']);
  });

  it('are stopped once', async () => {
    const stopped: string[] = [];
    const started = new Started();
    const one = await started.start(async () => thing('a', stopped));
    await started.stop(one);
    await started.stop(one);
    await started.stopAll();
    expect(stopped).toEqual(['a']);
  });

  it('are stopped if they start during the stop', async () => {
    const stopped: string[] = [];
    const started = new Started();
    const coming = Promise.withResolvers<ReturnType<typeof thing>>();
    const late = expect(started.start(() => coming.promise)).rejects.toThrow('the benchmark stops');
    const all = started.stopAll();
    coming.resolve(thing('late', stopped));
    await late;
    await all;
    expect(stopped).toEqual(['late']);
  });

  it('accept no start after the stop', async () => {
    const started = new Started();
    await started.stopAll();
    let began = false;
    const begin = async () => {
      began = true;
      return thing('a', []);
    };
    await expect(started.start(begin)).rejects.toThrow('the benchmark stops');
    expect(began).toBe(false);
  });
});
