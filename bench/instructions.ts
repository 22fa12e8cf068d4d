// What the built-in template's rules cost, in user-space instructions of HAProxy for each request, counted by callgrind:
// the same in every run, unlike processor time. The server behind HAProxy is another process, and not counted.
//
//   node bench/instructions.ts [HAPROXY…]
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
const variants: readonly Variant[] = [
  { name: 'without upstreams', maps: without, from: '127.0.0.50', headers: plain },
  { name: 'with upstreams, any other client', maps: withUpstreams, from: '127.0.0.50', headers: plain },
  { name: 'X-Forwarded-For, chain', maps: withUpstreams, from: '127.0.0.1', headers: chain },
  { name: 'X-Forwarded-For, one step', maps: withUpstreams, from: '127.0.0.2', headers: chain },
  { name: 'CF-Connecting-IP', maps: withUpstreams, from: '127.0.0.3', headers: cdn },
  { name: 'Fastly-Client-IP', maps: withUpstreams, from: '127.0.0.5', headers: fastly },
];

/** As the template was before: the header that HAProxy appends itself, and no rule about headers of clients. */
function beforeHygiene(text: string): string {
  return text
    .replace('    mode http\n', '    mode http\n    option forwardfor\n')
    .replace(/^ +http-request (del-header|set-src|set-header X-Forwarded-For) .*\n/gm, '');
}

const oneThread = (text: string) => text.replace('global\n', 'global\n    nbthread 1\n');

async function instructions(bin: string, variant: Variant, change: (text: string) => string): Promise<number> {
  const [first, second] = [await total(bin, variant, change, few), await total(bin, variant, change, many)];
  return (second - first) / (many - few);
}

async function total(bin: string, { maps, from, headers }: Variant, change: (text: string) => string, count: number) {
  const folder = await mkdtemp(join(tmpdir(), 'pm-'));
  const out = join(folder, 'out');
  try {
    const proxy = await RenderedProxy.start({
      bin,
      maps,
      under: ['valgrind', '--tool=callgrind', '-q', `--callgrind-out-file=${out}`],
      change: (text) => change(oneThread(text)),
    });
    try {
      for (let done = 0; done < count; done += onEachConnection) {
        const replies = await proxy.keep(
          Array.from({ length: onEachConnection }, () => headers),
          { from },
        );
        const wrong = replies.find(({ status }) => status !== 200);
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

const bins = process.argv.length > 2 ? process.argv.slice(2) : testProxies().found.map(({ bin }) => bin);
for (const bin of bins) {
  for (const variant of variants) {
    const base = await instructions(bin, { ...variant, maps: without }, beforeHygiene);
    const cost = await instructions(bin, variant, (text) => text);
    console.log(
      `${bin}  ${variant.name}: ${Math.round(base)} before, ${Math.round(cost)}, x${(cost / base).toFixed(3)}`,
    );
  }
}
