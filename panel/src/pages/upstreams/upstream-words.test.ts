import { describe, expect, it } from 'vitest';
import { unusedUpstreamMap } from '../../../../src/domain/upstream.ts';
import type { ReloadAnswer, Upstream, UpstreamAnswer } from '../../api/types.ts';
import { extentWords, namingWords, removalWords, resultLines, stateWords } from './upstream-words.ts';

const lb = {
  name: 'lb',
  preset: null,
  networks: ['10.0.3.0/24'],
  addresses: '256',
  header: 'x-forwarded-for',
  chain: false,
  proxy_protocol: false,
  on_invalid: 'reject',
  note: null,
  blocked_inside: [],
  blocked_inside_total: 0,
} as unknown as Upstream;
const answer = (members: object): UpstreamAnswer => ({
  ...lb,
  runtime_map_updated: true,
  runtime_map_failures: [],
  runtime_map_failures_total: 0,
  reload_scheduled: false,
  ...members,
});
const allOf = (members: object) => resultLines(answer(members)).map(({ words }) => words);

it.each([
  [{}, 'Last address of X-Forwarded-For'],
  [{ chain: true }, 'X-Forwarded-For, through further upstreams'],
  [{ header: 'cf-connecting-ip' }, 'CF-Connecting-IP'],
  [{ header: null, proxy_protocol: true }, 'PROXY protocol'],
  [{ proxy_protocol: true }, 'PROXY protocol, or last address of X-Forwarded-For if it names none'],
])('shows how an upstream with %j names its client', (members, words) => {
  expect(namingWords({ ...lb, ...members })).toBe(words);
});

it('shows how many addresses are believed', () => {
  expect(extentWords(lb)).toBe('1 network, 256 addresses');
  expect(extentWords({ networks: ['::1'], addresses: '1' })).toBe('1 address');
  expect(extentWords({ networks: ['2001:db8::/32', '10.0.0.1'], addresses: '2^96' })).toBe(
    '2 networks, 2^96 addresses',
  );
});

describe('the state of an upstream', () => {
  it.each<[string, string[], boolean | null, string]>([
    ['in force', ['10.0.3.0/24'], true, 'good'],
    ['not in force', ['10.0.3.0/24'], false, 'bad'],
    ['not known', ['10.0.3.0/24'], null, 'unknown'],
    ['without networks', [], true, 'warn'],
  ])('%s', (_name, networks, inForce, tone) => {
    expect(stateWords({ networks }, { in_force: inForce }).tone).toBe(tone);
  });
});

describe('the result of saving an upstream', () => {
  it('says that no reload was needed, or which worker replaced which', () => {
    expect(allOf({})).toContain('No reload was needed.');
    const reload = { worker_before: 1, worker_after: 2, duration_ms: 1_400, warnings: [] } as unknown as ReloadAnswer;
    expect(allOf({ reload }).join(' ')).toContain('Worker 2 replaced worker 1');
  });

  it('warns about blocked entries inside', () => {
    expect(resultLines(answer({ blocked_inside_total: 2 }))).toContainEqual({
      tone: 'warn',
      words: '2 blocked entries inside no longer deny what lb sends.',
    });
  });

  it('says where a preset publishes its networks if it has none', () => {
    const words = allOf({ name: 'cloudfront', preset: 'cloudfront', networks: [], addresses: '0' }).join(' ');
    expect(words).toContain('no networks yet');
    expect(words).toContain('https://ip-ranges.amazonaws.com/ip-ranges.json');
  });

  it('promises no retry if the configuration does not use the map', () => {
    const [first] = resultLines(
      answer({ runtime_map_updated: false, runtime_map_failures: [{ worker: 1, reason: unusedUpstreamMap }] }),
    );
    expect(first).toMatchObject({ tone: 'warn', words: expect.stringContaining('does not use the upstream map') });
    expect(first?.words).not.toContain('retries');
  });
});

describe('a removal', () => {
  const lines = (members: object, context: object = {}) =>
    removalWords({ ...lb, ...members }, { isLast: false, attached: false, ...context }).join(' ');

  it('announces a reload for the last upstream only', () => {
    expect(lines({}, { isLast: true })).toContain('a safe reload removes the rules');
    expect(lines({})).toContain('No reload is needed.');
  });

  it('announces no reload in attached mode', () => {
    expect(lines({}, { isLast: true, attached: true })).not.toContain('a safe reload');
  });

  it('warns that the blocked entries inside deny all clients of the upstream', () => {
    expect(lines({ blocked_inside_total: 1 })).toContain('1 blocked entry inside its networks takes effect again');
    expect(lines({})).not.toContain('effect again');
  });
});
