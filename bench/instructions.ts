// What the built-in template's rules cost, in user-space instructions of HAProxy for each request, counted by callgrind:
// the same in every run, unlike processor time. The server behind HAProxy is another process, and not counted.
//
//   node bench/instructions.ts [--counting] [HAPROXY…]      --counting: only what counting costs (docs/insight.md)
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RenderInput } from '../src/configuration/template/render-scope.ts';
import { mapFiles, sampleMaps } from '../testkit/configuration/address-maps.ts';
import { type Headers, RenderedProxy } from '../testkit/configuration/rendered-proxy.ts';
import { testProxies } from '../testkit/proxies.ts';

const few = 100;
const many = 500;
const onEachConnection = 100;

/** With Host nine. */
const usual: Headers = [
  ['User-Agent', 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0'],
  ['Accept', 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8'],
  ['Accept-Language', 'en-US,en;q=0.5'],
  ['Accept-Encoding', 'gzip, deflate, br'],
  ['Referer', 'https://shop.example.com/products/list?page=2'],
  ['Cookie', 'session=0123456789abcdef0123456789abcdef; theme=dark'],
];
const chain: Headers = [...usual, ['X-Forwarded-For', '198.51.100.1'], ['X-Forwarded-Proto', 'https']];
const cdn: Headers = [...usual, ['CF-Connecting-IP', '198.51.100.1'], ['X-Forwarded-Proto', 'https']];
const fastly: Headers = [...usual, ['Fastly-Client-IP', '198.51.100.1'], ['X-Forwarded-Proto', 'https']];
const plain: Headers = [...usual, ['Upgrade-Insecure-Requests', '1'], ['Cache-Control', 'max-age=0']];

interface Variant {
  readonly name: string;
  readonly maps: Readonly<Record<string, string>>;
  readonly from: string;
  readonly headers: Headers;
  /** Default 200. */
  readonly status?: number;
  readonly http2?: boolean;
  /** Default 1. */
  readonly threads?: number;
  readonly input?: Partial<RenderInput>;
  /** Serves TLS too, with the rules that belong to it. The requests are plain. */
  readonly tls?: boolean;
}

// The template of before would deny the peers of the variants.
const isServed = (network: string) => !network.startsWith('127.');
const {
  blockedMap = '',
  trustedMap = '',
  ...upstreams
} = mapFiles({
  ...sampleMaps,
  blocked: sampleMaps.blocked.filter(isServed),
});
const without = { blockedMap, trustedMap };
const withUpstreams = { ...without, ...upstreams };
const withoutUpstreams: Variant = { name: 'without upstreams', maps: without, from: '127.0.0.50', headers: plain };
const variants: readonly Variant[] = [
  withoutUpstreams,
  { name: 'with upstreams, any other client', maps: withUpstreams, from: '127.0.0.50', headers: plain },
  { name: 'X-Forwarded-For, chain', maps: withUpstreams, from: '127.0.0.1', headers: chain },
  { name: 'X-Forwarded-For, one step', maps: withUpstreams, from: '127.0.0.2', headers: chain },
  { name: 'CF-Connecting-IP', maps: withUpstreams, from: '127.0.0.3', headers: cdn },
  { name: 'Fastly-Client-IP', maps: withUpstreams, from: '127.0.0.5', headers: fastly },
];

const denied = { name: 'denied', from: '127.0.0.66', status: 403 };
const countingVariants: readonly Variant[] = [{ name: 'allowed', from: '127.0.0.50' }, denied].flatMap((client) =>
  [1, 2].flatMap((threads) =>
    [false, true].map((http2) => {
      const name = `${client.name}, HTTP/${http2 ? 2 : 1}, ${threads} ${threads === 1 ? 'thread' : 'threads'}`;
      return {
        ...client,
        name,
        maps: { ...without, blockedMap: `${blockedMap}${denied.from} 1\n` },
        headers: plain,
        threads,
        http2,
      };
    }),
  ),
);

/** The rule that answers http-01, which every request meets. */
const withoutChallenges = (text: string) => text.replace(/^ +http-request return .*acme-challenge.*\n/m, '');

/** As the template was before: the header that HAProxy appends itself, and no rule about headers of clients. */
function beforeHygiene(text: string): string {
  return text
    .replace('    mode http\n', '    mode http\n    option forwardfor\n')
    .replace(/^ +http-request (del-header|set-src|set-header X-Forwarded-For) .*\n/gm, '');
}

/** HAProxy's own page for a denied request, which nothing counts. */
function withOwnPage(text: string): string {
  const own = text.replace(/^ +http-error status 403 .*\n/m, '');
  if (own === text) throw new Error('the template has no page for a denied request');
  return own;
}

const withThreads = (text: string, threads: number) => text.replace('global\n', `global\n    nbthread ${threads}\n`);

async function instructions(bin: string, variant: Variant, change = (text: string) => text): Promise<number> {
  const [first, second] = [await total(bin, variant, change, few), await total(bin, variant, change, many)];
  return (second - first) / (many - few);
}

async function total(bin: string, variant: Variant, change: (text: string) => string, count: number) {
  const { maps, from, headers, status: expected = 200, http2 = false, threads = 1, input = {}, tls = false } = variant;
  const folder = await mkdtemp(join(tmpdir(), 'pm-'));
  const out = join(folder, 'out');
  try {
    const proxy = await RenderedProxy.start({
      bin,
      maps,
      input,
      ...(tls ? { https: {} } : {}),
      under: ['valgrind', '--tool=callgrind', '-q', `--callgrind-out-file=${out}`],
      change: (text) => change(withThreads(text, threads)),
    });
    try {
      for (let done = 0; done < count; done += onEachConnection) {
        const requests = Array.from({ length: onEachConnection }, () => headers);
        const replies = await (http2 ? proxy.askHttp2(requests, { from }) : proxy.keep(requests, { from }));
        const wrong = replies.find(({ status }) => status !== expected);
        if (wrong !== undefined) throw new Error(`status ${wrong.status}`);
      }
    } finally {
      await proxy.stop('SIGTERM');
    }
    return Number(/^(?:totals|summary): (\d+)/m.exec(await readFile(out, 'utf8'))?.[1]);
  } finally {
    await rm(folder, { recursive: true });
  }
}

function printRatio(bin: string, name: string, before: number, after: number): void {
  console.log(`${bin}  ${name}: ${Math.round(before)} before, ${Math.round(after)}, x${(after / before).toFixed(3)}`);
}

const words = process.argv.slice(2);
const onlyCounting = words[0] === '--counting';
const named = onlyCounting ? words.slice(1) : words;
for (const bin of named.length > 0 ? named : testProxies().found.map((proxy) => proxy.bin)) {
  for (const variant of onlyCounting ? [] : variants) {
    const before = await instructions(bin, { ...variant, maps: without }, beforeHygiene);
    printRatio(bin, variant.name, before, await instructions(bin, variant));
  }
  if (!onlyCounting) {
    const withTls = { ...withoutUpstreams, tls: true };
    const before = await instructions(bin, withTls, withoutChallenges);
    printRatio(bin, 'rule of http-01', before, await instructions(bin, withTls));
  }
  for (const variant of countingVariants) {
    const uncounted = { ...variant, input: { insight: 'off' } } as const;
    const counted = await instructions(bin, { ...variant, input: { insight: 'on' } });
    printRatio(bin, `counting, ${variant.name}`, await instructions(bin, uncounted), counted);
    if (variant.status !== denied.status) continue;
    const own = await instructions(bin, uncounted, withOwnPage);
    printRatio(bin, `page and counting, ${variant.name}, against HAProxy's own page`, own, counted);
  }
}
