import { expect, it } from 'vitest';
import { SiteWatch } from './site-watch.ts';

function kit(downBefore: readonly string[] = []) {
  const emitted: string[] = [];
  let readings = 0;
  let sites = ['shop.example', 'blog.example'];
  let down: readonly string[] = [];
  const watch = new SiteWatch({
    anySite: async () => sites.length > 0,
    read: async () => {
      readings += 1;
      const stats = ['own', ...sites].map((name) => ({
        ...{ kind: 'backend' as const, name, requests: 0, denied: 0, serverErrors: 0, sessions: 0, responseMs: 0 },
        down: name === 'own' || down.includes(name),
      }));
      return { stats, siteOf: (backend) => (backend === 'own' ? '' : backend) };
    },
    downBefore: async () => downBefore,
    emit: (type, data) => void emitted.push(`${type} ${(data as { domain: string }).domain}`),
    log: { warn: () => undefined },
  });
  return {
    async readings(times: number, nowDown: readonly string[]) {
      down = nowDown;
      for (let time = 0; time < times; time += 1) await watch.check();
      return emitted.splice(0);
    },
    remove: (domain: string) => {
      sites = sites.filter((site) => site !== domain);
    },
    count: () => readings,
  };
}

it('reports a site that is down in two readings in succession, once', async () => {
  const { readings } = kit();
  expect(await readings(1, ['shop.example'])).toEqual([]);
  expect(await readings(1, [])).toEqual([]);
  expect(await readings(1, ['shop.example'])).toEqual([]);
  expect(await readings(5, ['shop.example'])).toEqual(['site.down shop.example']);
});

it('reports it as up after four, since a new worker counts every server as up at first', async () => {
  const { readings } = kit();
  await readings(2, ['shop.example', 'blog.example']);
  expect(await readings(3, ['blog.example'])).toEqual([]);
  expect(await readings(1, ['shop.example', 'blog.example'])).toEqual([]);
  expect(await readings(4, ['blog.example'])).toEqual(['site.up shop.example']);
});

it('reports as up what an earlier run reported as down, and a site that was removed', async () => {
  const { readings, remove, count } = kit(['shop.example', 'blog.example']);
  remove('shop.example');
  remove('blog.example');
  expect(await readings(4, [])).toEqual(['site.up shop.example', 'site.up blog.example']);
  const before = count();
  await readings(1, []);
  expect(count(), 'without sites nothing is read').toBe(before);
});
