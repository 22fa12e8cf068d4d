// `npm run screenshots` takes the screenshots that the documents show, as WebP; `node scripts/screenshots.ts FOLDER` takes
// every page of the panel in both themes, as PNG. No test compares them.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { kill } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { hasPebble, Pebble } from '../testkit/acme/pebble.ts';
import { frontEnd, head, rule, startAttached } from '../testkit/attached-service.ts';
import { startBrowser } from '../testkit/browser.ts';
import { eventually } from '../testkit/conditions.ts';
import { freePort } from '../testkit/free-port.ts';
import { startSeeded } from '../testkit/insight/seeded-service.ts';
import { testProxies } from '../testkit/proxies.ts';
import { RealService } from '../testkit/real-service.ts';
import { sampleReasons, sampleSources } from '../testkit/sample-words.ts';
import { selfSigned } from '../testkit/tls/uploads.ts';
import { startUpstream } from '../testkit/upstream.ts';

const elsewhere = process.argv[2];
const folder = elsewhere ?? join(import.meta.dirname, '../docs/screenshots');
/** Each costs some 30 kB in every clone. */
const published: ReadonlySet<string> = new Set([
  'overview-light',
  'overview-dark',
  'overview-degraded-light',
  'denied-light',
  'map-dark',
  'candidates-light',
  'blocked-entry-light',
  'blocked-phone-dark',
  'attack-light',
  'notices-light',
  'palette-light',
  'block-light',
  'check-light',
  'webhooks-light',
  'certificates-light',
  'sites-light',
  'attached-configuration-light',
]);
const wide = { viewport: { width: 1280, height: 860 }, reducedMotion: 'reduce' } as const;
/** With touch: what a finger uses is larger. */
const narrow = { ...wide, viewport: { width: 390, height: 800 }, hasTouch: true, isMobile: true } as const;

async function fill(service: RealService, sitePort: number): Promise<void> {
  const add = Array.from({ length: 300 }, (_, at) => ({
    ip_address: `203.0.113.${at & 255}`,
    reason: sampleReasons[at % sampleReasons.length],
    blocked_by: sampleSources[at % sampleSources.length],
    ...(at % 4 === 0 ? { duration_seconds: 3_600 * ((at % 50) + 1) } : {}),
  }));
  add.push({ ip_address: '198.51.100.0/24', reason: 'whole network: botnet', blocked_by: 'ops' });
  await service.call('POST', '/api/blocked-ips/batch', { body: { add } });
  await service.block('127.0.0.66', { reason: 'denied while this screenshot was taken' });
  for (const [ip, note] of [
    ['192.0.2.9', 'monitoring'],
    ['2001:db8:42::/48', 'the office'],
  ])
    await service.call('PUT', `/api/trusted-ips/${encodeURIComponent(ip ?? '')}`, { body: { note } });
  const servers = [{ address: '127.0.0.1', port: sitePort }];
  await service.call('PUT', '/api/sites/shop.example', {
    body: { servers: [...servers, { address: '127.0.0.1', port: 9, options: { backup: true } }] },
  });
  await service.call('PUT', '/api/sites/blog.example', { body: { servers } });
  // Its host does not resolve.
  await service.call('PUT', '/api/sites/new.example', {
    body: { servers: [{ address: 'no-such-host.invalid', port: 80 }] },
  });
  for (const [names, lasts] of [
    [['shop.example', 'www.shop.example'], 80],
    [['blog.example'], 9],
  ] as const) {
    const { certificate, privateKey } = selfSigned(names, { lasts });
    await service.call('POST', '/api/certificates', { body: { certificate, private_key: privateKey } });
  }
  const tls = { redirect: 'auto', hsts: { max_age: 31_536_000 } };
  // The last one is refused. Without an authority none is ordered.
  for (const names of [['mail.example', 'imap.example'], ['new.example']])
    await service.call('POST', '/api/acme/certificates', { body: { names } });
  // No certificate is for the last one.
  for (const name of ['blog.example', 'new.example'])
    await service.call('PUT', `/api/sites/${name}/tls`, { body: tls });
  await service.call('PUT', '/api/upstreams/lb', {
    body: { networks: ['10.0.3.0/24', '10.0.4.0/24'], header: 'x-forwarded-for', note: 'the load balancer' },
  });
  await service.call('PUT', '/api/upstreams/cloudflare', { body: { preset: 'cloudflare' } });
  await service.call('POST', '/api/keys', { body: { name: 'fail2ban', scopes: ['block'] } });
  await service.call('POST', '/api/keys', { body: { name: 'dashboard', scopes: ['read'] } });
  const hooks = [
    { id: 'chat', url: `http://127.0.0.1:${sitePort}/hooks/proxy`, events: null },
    {
      id: 'pager',
      url: 'http://127.0.0.1:7999/alerts/2f8c1d',
      events: ['health.changed', 'reload.failed', 'trust.added'],
    },
    { id: 'siem', url: 'https://siem.example.com/', events: ['entry.blocked', 'entry.unblocked'], enabled: false },
  ];
  for (const { id, ...body } of hooks) await service.call('PUT', `/api/webhooks/${id}`, { body });
  await service.call('PUT', '/api/trusted-ips/192.0.2.10', { body: { note: 'monitoring, the second one' } });
}

async function visitors(service: RealService, until: AbortSignal): Promise<void> {
  for (let at = 0; !until.aborted; at += 1) {
    await service.visit('127.0.0.5', { host: at % 3 === 0 ? 'blog.example' : 'shop.example' });
    if (at % 4 === 0) await service.visit('127.0.0.66', { host: 'shop.example' });
    await sleep(20 + 15 * Math.sin(at / 40));
  }
}

const isWanted = (name: string): boolean => elsewhere !== undefined || published.has(name);

async function shoot(page: Page, name: string): Promise<void> {
  if (!isWanted(name)) return;
  if (elsewhere !== undefined) await page.screenshot({ path: join(folder, `${name}.png`) });
  else await writeFile(join(folder, `${name}.webp`), await asWebp(await page.screenshot()));
}

/** Playwright writes no WebP, but its browser does: a quarter of the size. */
async function asWebp(png: Buffer): Promise<Buffer> {
  await using browser = await startBrowser();
  const page = await browser.newPage();
  const encoded = await page.evaluate<string>(`(async () => {
    const response = await fetch('data:image/png;base64,${png.toString('base64')}');
    const picture = await createImageBitmap(await response.blob());
    const canvas = Object.assign(document.createElement('canvas'), { width: picture.width, height: picture.height });
    canvas.getContext('2d').drawImage(picture, 0, 0);
    return canvas.toDataURL('image/webp', 0.85);
  })()`);
  return Buffer.from(encoded.slice(encoded.indexOf(',') + 1), 'base64');
}

/** A candidate needs ten minutes of traffic above the limits. Together an eighth of the seeded requests. */
const candidates = [
  ['198.18.4.88', 14.2, 0.92, 312],
  ['198.19.20.17', 9.6, 0.88, 220],
  ['2001:db8:99::/64', 7.9, 0.71, 125],
  ['192.0.2.201', 6.4, 0.04, 1_380],
  ['198.18.90.140', 5.3, 0.64, 58],
].map(([ip, rate, errors, minutes], at) => ({
  ...{ ip_address: ip, rate, requests: Math.round(Number(rate) * 600), error_share: errors, clients_inside: 1 },
  active_since: new Date(Date.now() - Number(minutes) * 60_000).toISOString(),
  network: String(ip).includes(':') ? '2001:db8:99::/48' : String(ip).replace(/\d+$/, '0/24'),
  spark: Array.from({ length: 30 }, (_, minute) =>
    Math.round(Number(rate) * 60 * (minute < 12 + at * 2 ? 0.04 : 0.85 + 0.15 * Math.sin(minute * (at + 2)))),
  ),
}));

/** On every page. */
async function showCandidates(page: Page): Promise<void> {
  await page.route('**/api/insight/candidates', (route) =>
    route.fulfill({
      headers: { 'x-request-id': 'screenshot' },
      json: {
        limits: { rate: 5, error_share: 0.6, error_requests: 100, attack_factor: 5, attack_minimum: 60 },
        items: candidates,
        sampled: { one_in: 16 },
        complete: true,
        gaps: [],
      },
    }),
  );
  await page.route(/\/api\/insight(\?|$)/, async (route) => {
    const response = await route.fetch();
    if (response.status() !== 200) return await route.fulfill({ response });
    return await route.fulfill({ response, json: { ...(await response.json()), candidates: candidates.length } });
  });
}

/** The overview without its first steps. */
async function withoutFirstSteps(page: Page): Promise<void> {
  await page.evaluate(`localStorage.setItem('proxy-manager-first-steps-done', 'yes')`);
}

async function signIn(page: Page, service: RealService): Promise<void> {
  await page.getByLabel('API key').fill(service.key);
  await page.keyboard.press('Enter');
  // Not the heading, which the sign-in form has too.
  await page.getByRole('navigation').first().waitFor();
  await withFonts(page);
}

/** The panel's own fonts are used from the second visit on. */
async function withFonts(page: Page): Promise<void> {
  // `waitForFunction` would need a weaker Content-Security-Policy.
  await eventually('the fonts are stored', () => page.evaluate(`localStorage.getItem('proxy-manager-fonts') !== null`));
  await page.reload();
  await page.getByRole('navigation').first().waitFor();
}

type Shot = {
  readonly name: string;
  readonly path: string;
  readonly prepare?: (page: Page, service: RealService) => Promise<unknown>;
};

const shots: readonly Shot[] = [
  {
    name: 'overview',
    path: '/',
    prepare: async (page) => {
      await withoutFirstSteps(page);
      await page.reload();
      await page.locator('canvas').waitFor();
    },
  },
  {
    name: 'palette',
    path: '/',
    prepare: async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('textbox', { name: 'Search or run a command' }).fill('198.51.100.7');
      await page.getByText('is blocked by').waitFor();
    },
  },
  {
    name: 'notices',
    path: '/',
    prepare: async (page) => {
      await page.getByRole('button', { name: /^Notices/ }).click();
      await page.getByRole('dialog', { name: 'Notices' }).waitFor();
    },
  },
  { name: 'denied', path: '/denied', prepare: (page) => page.locator('canvas').waitFor() },
  {
    name: 'attack',
    path: '/denied',
    prepare: async (page) => {
      await page.getByRole('table', { name: 'Attacks' }).getByRole('button').click();
      await page.getByRole('dialog').locator('canvas').waitFor();
    },
  },
  { name: 'blocked', path: '/blocked' },
  {
    name: 'blocked-search',
    path: '/blocked',
    prepare: async (page) => {
      await page.getByLabel('Search', { exact: true }).fill('SCAN');
      await page.getByText('found in reasons and “Blocked by”').waitFor();
    },
  },
  {
    name: 'blocked-entry',
    path: '/blocked',
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Knocking', exact: true }).click();
      await page.getByText(/ found$/).waitFor();
      await page.getByRole('row').nth(3).click();
      await page.getByText('Blocked on worker').waitFor();
    },
  },
  {
    name: 'block',
    path: '/blocked',
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Block address', exact: true }).click();
      await page.getByLabel('Address or network').fill('127.0.0.0/8');
      await page.getByText('Warning', { exact: true }).waitFor();
    },
  },
  {
    name: 'import',
    path: '/blocked',
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Import list', exact: true }).click();
      await page
        .getByLabel('Or paste a list')
        .fill('192.0.2.44\n192.0.2.0/24 # a network\n192.0.2.300\nexample.com\n10.1.2.3/8\n2001:db8::7\n');
      await page.getByRole('button', { name: 'Preview list' }).click();
      await page.getByText('will be skipped').waitFor();
    },
  },
  {
    name: 'check',
    path: '/check',
    prepare: async (page) => {
      await page.getByLabel('Address', { exact: true }).fill('198.51.100.7');
      await page.getByText('Verified in HAProxy').waitFor();
    },
  },
  { name: 'map', path: '/map', prepare: (page) => page.getByText('Entries, by /8').waitFor() },
  {
    name: 'candidates',
    path: '/candidates',
    prepare: async (page) => {
      await page.getByRole('table', { name: 'Candidates' }).getByRole('button').first().click();
      await page.getByText('Before you block').waitFor();
    },
  },
  { name: 'sources', path: '/sources' },
  { name: 'trusted', path: '/trusted' },
  {
    name: 'sites',
    path: '/sites',
    prepare: (page) => page.getByText('Certificate served, expires in 80 days').waitFor(),
  },
  {
    name: 'certificates',
    path: '/certificates',
    prepare: async (page) => {
      await page.getByText('Served', { exact: true }).first().waitFor();
      if (hasPebble) await page.getByText('Needs attention').waitFor();
    },
  },
  {
    name: 'upstreams',
    path: '/upstreams',
    prepare: async (page) => {
      await page.getByLabel('Address that connects').fill('10.0.3.7');
      await page.getByLabel('Headers').fill('X-Forwarded-For: 192.0.2.200, 203.0.113.4');
      await page.getByRole('button', { name: 'Show checked address' }).click();
      await page.getByRole('status', { name: 'Checked address' }).getByText('HAProxy checks').waitFor();
    },
  },
  { name: 'configuration', path: '/configuration' },
  {
    name: 'activity',
    path: '/activity',
    prepare: async (page, service) => {
      await page.getByTestId('live').getByText('Live', { exact: true }).waitFor();
      await service.block('192.0.2.200', { reason: 'port scan', blocked_by: 'fail2ban', duration_seconds: 3_600 });
      await service.unblock('203.0.113.1');
      await service.call('POST', '/api/config/reload');
      await page.waitForTimeout(1_500);
    },
  },
  { name: 'webhooks', path: '/webhooks' },
  {
    name: 'webhook',
    path: '/webhooks',
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Add webhook' }).click();
      await page.getByLabel('Name').fill('pager-2');
      await page.getByLabel('URL').fill('http://pager.example.com/alerts');
      await page.getByLabel('Selected events').check();
      for (const name of ['Health changed', 'Reload failed']) await page.getByRole('checkbox', { name }).check();
    },
  },
  { name: 'keys', path: '/keys' },
  {
    name: 'keyboard',
    path: '/keys',
    prepare: async (page) => {
      await page.keyboard.press('?');
      await page.getByText('Show this list').waitFor();
    },
  },
];

const attachedShots: readonly Shot[] = [
  { name: 'attached-overview', path: '/' },
  { name: 'attached-configuration', path: '/configuration' },
  { name: 'attached-sites', path: '/sites' },
];

const phone = [
  ...['/', '/denied', '/blocked', '/map', '/candidates', '/sources'],
  ...['/sites', '/certificates', '/upstreams', '/activity', '/webhooks'],
];

const themes = ['light', 'dark'] as const;

/** One signed-in page per theme. */
async function takeBoth(
  service: RealService,
  name: string,
  path: string,
  happen: (pages: readonly Page[]) => Promise<unknown>,
): Promise<void> {
  await using browser = await startBrowser();
  const pages = await Promise.all(themes.map((colorScheme) => browser.newPage({ ...wide, colorScheme })));
  for (const page of pages) {
    await showCandidates(page);
    await page.goto(`http://127.0.0.1:${service.apiPort}${path}`);
    await signIn(page, service);
    await page.waitForTimeout(3_000);
  }
  await happen(pages);
  for (const [at, page] of pages.entries()) await shoot(page, `${name}-${themes[at]}`);
}

async function takeAll(
  service: RealService,
  shots: readonly Shot[],
  phone: readonly string[],
  prepare: (page: Page) => Promise<unknown>,
): Promise<void> {
  await using browser = await startBrowser();
  const base = `http://127.0.0.1:${service.apiPort}`;
  for (const colorScheme of themes) {
    const page = await browser.newPage({ ...wide, colorScheme });
    await prepare(page);
    await page.goto(base);
    await page.getByLabel('API key').waitFor();
    await shoot(page, `sign-in-${colorScheme}`);
    await signIn(page, service);
    for (const { name, path, prepare } of shots) {
      if (!isWanted(`${name}-${colorScheme}`)) continue;
      if (new URL(page.url()).pathname !== path || prepare !== undefined) await page.goto(`${base}${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForTimeout(1_500);
      await prepare?.(page, service);
      await page.waitForTimeout(300);
      await shoot(page, `${name}-${colorScheme}`);
    }
    await page.close();
    const nameOf = (path: string): string => `${path === '/' ? 'overview' : path.slice(1)}-phone-${colorScheme}`;
    const wanted = phone.filter((path) => isWanted(nameOf(path)));
    if (wanted.length === 0) continue;
    const handheld = await browser.newPage({ ...narrow, colorScheme });
    await prepare(handheld);
    await handheld.goto(base);
    await signIn(handheld, service);
    await withoutFirstSteps(handheld);
    for (const path of wanted) {
      // The list with most to see.
      await handheld.goto(`${base}${path}${path === '/blocked' ? '?hit_within=24h&sort=hits&order=desc' : ''}`);
      await handheld.waitForTimeout(2_500);
      await shoot(handheld, nameOf(path));
    }
    await handheld.close();
  }
}

const [proxy] = testProxies().found;
if (proxy === undefined) throw new Error('HAProxy is not installed');
await mkdir(folder, { recursive: true });
const site = await startUpstream('site');
const httpPort = await freePort();
const pebble = hasPebble ? await Pebble.start({ httpPort, refusedDomains: ['new.example'] }) : null;
const environment = {
  PROXY_MANAGER_HTTPS_BIND: `127.0.0.1:${await freePort()}`,
  ...(await pebble?.settings()),
};
if (elsewhere !== undefined) {
  const empty = await RealService.start({ bin: proxy.bin });
  try {
    await empty.healthy();
    await takeBoth(empty, 'blocked-empty', '/blocked', async (pages) => {
      for (const page of pages) await page.getByText('No blocked addresses yet').waitFor();
    });
  } finally {
    await empty.stop();
  }
}
const service = await startSeeded({ bin: proxy.bin, environment, proxyPort: httpPort, entries: 40_000 });
const over = new AbortController();
try {
  await fill(service, site.port);
  const visiting = visitors(service, over.signal);
  await takeAll(service, shots, phone, showCandidates);
  over.abort();
  await visiting;
  const { master } = await service.processes();
  try {
    await takeBoth(service, 'overview-degraded', '/', async (pages) => {
      kill(master.pid, 'SIGSTOP');
      for (const page of pages) await page.getByText(/^Unknown: HAProxy could not be queried/).waitFor();
      await sleep(1_000);
    });
  } finally {
    kill(master.pid, 'SIGCONT');
  }
  await service.healthy();
  await takeBoth(service, 'overview-offline', '/', async (pages) => {
    service.kill('SIGKILL');
    await service.ended();
    for (const page of pages) await page.getByText(/The data shown is \d+\ss old/).waitFor();
    // Until all data is stale.
    await sleep(9_000);
  });
} finally {
  over.abort();
  await service.stop();
  await pebble?.stop();
  await site.stop();
}

const [unmanaged, mail] = [await freePort(), await freePort()];
const { service: attached } = await startAttached({
  bin: proxy.bin,
  config: (paths, port) =>
    [
      head,
      frontEnd('shop', port, rule(paths)),
      frontEnd('statistics', unmanaged),
      'listen mail',
      '  mode tcp',
      `  bind 127.0.0.1:${mail}`,
      '  server mail 127.0.0.1:9',
      '',
    ].join('\n'),
});
try {
  // Not healthy: one front end has no rule.
  await attached.block('203.0.113.7', { reason: 'port scan', blocked_by: 'fail2ban' });
  // It has no figures.
  await takeAll(attached, attachedShots, [], async () => undefined);
} finally {
  await attached.stop();
}
