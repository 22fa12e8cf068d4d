import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { anyCharacter } from '../../../testkit/any-text.ts';
import { eventually } from '../../../testkit/conditions.ts';
import { manySites, sampleHttps, sampleInput, sampleSites } from '../../../testkit/configuration/template-samples.ts';
import { caseCount } from '../../../testkit/proxies.ts';
import type { Site } from '../../domain/site.ts';
import { codes } from '../../errors/catalogue.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { acceptedRule } from '../rules/blocked-rule.ts';
import { renderConfiguration } from './render.ts';
import type { RenderInput } from './render-scope.ts';
import { Template } from './template.ts';
import { renderTemplate } from './template-engine.ts';

const rule = '{% for b in http_bind %}bind {{ b }}\n{% endfor %}'.concat(
  acceptedRule('{{ blocked_map }}', '{{ trusted_map }}'),
);

async function errorOf(work: Promise<unknown>): Promise<ServiceError> {
  const error = await work.then(
    () => null,
    (error: unknown) => error,
  );
  expect(error).toBeInstanceOf(ServiceError);
  return error as ServiceError;
}

const withServer = (address: string): RenderInput => ({
  ...sampleInput,
  sites: [{ domain: 'a.example', servers: [{ address, port: 80 }] }],
});

describe('the built-in template', () => {
  test('renders sites, options and names as the golden file has them', async () => {
    const { text, files, warnings } = await Template.builtIn().render({
      ...sampleInput,
      serverStateFile: '/var/lib/proxy-manager/servers.state',
      accessLog: 'auto',
      sites: sampleSites,
    });
    await expect(text).toMatchFileSnapshot('golden/built-in.cfg');
    await expect(files[0]?.content).toMatchFileSnapshot('golden/names.map');
    expect(files[0]?.path).toMatch(/^\/etc\/proxy\/sites\.[0-9a-f]{16}\.map$/);
    expect(text).toContain(files[0]?.path);
    expect(warnings).toEqual([]);
  });

  test('renders without a site and without a name server as the golden file has it', async () => {
    const machine = { resolvConf: false, hosts: new Set<string>(), ipv6: false, syslogSocket: false, openFiles: 1_024 };
    const { text } = await Template.builtIn().render({
      ...sampleInput,
      httpBind: ['127.0.0.1:8080'],
      accessLog: 'auto',
      machine,
    });
    await expect(text).toMatchFileSnapshot('golden/built-in-bare.cfg');
  });

  test('binds IPv6 for itself only where IPv4 is bound too', async () => {
    const binds = async (httpBind: readonly string[]) =>
      (await Template.builtIn().render({ ...sampleInput, httpBind })).text
        .match(/^ +bind .*$/gm)
        ?.map((one) => one.trim());
    expect(await binds(['any:80'])).toEqual(['bind :80', 'bind [::]:80 v6only']);
    expect(await binds(['[::]:80', '[::1]:80', ':8080'])).toEqual(['bind [::]:80', 'bind [::1]:80', 'bind :8080']);
  });

  test.each([
    ['auto', true, '/dev/log'],
    ['auto', false, null],
    ['off', true, null],
    ['[2001:db8::1]:514', true, '[2001:db8::1]:514'],
  ])('with the access log %s, and a syslog socket: %s, logs to %s', async (accessLog, syslogSocket, address) => {
    const machine = { ...sampleInput.machine!, syslogSocket };
    const { text } = await Template.builtIn().render({ ...sampleInput, machine, accessLog });
    expect(/^ +log (\S+) /m.exec(text)?.[1] ?? null).toBe(address);
    expect(text.includes('pm_log')).toBe(address !== null);
  });

  test('has the rules for upstreams only if there are upstreams', async () => {
    const input = { ...sampleInput, connectionsPerSource: 100 };
    const { text, warnings } = await Template.builtIn().render({ ...input, hasUpstreams: true });
    await expect(text).toMatchFileSnapshot('golden/built-in-upstreams.cfg');
    expect(warnings).toEqual([]);
    const without = await Template.builtIn().render({ ...input, hasUpstreams: false });
    expect(without.text).not.toMatch(/pm_|upstreams\.map|proxy_protocol\.map/);
  });

  test('has its rules in the order of docs/template.md', async () => {
    const everything = { hasUpstreams: true, connectionsPerSource: 100, accessLog: 'auto', insight: 'on' } as const;
    const { text } = await Template.builtIn().render({
      ...sampleInput,
      ...everything,
      https: { ...sampleHttps, bind: ['any:443'] },
    });
    const rules = [
      'tcp-request connection expect-proxy',
      'tcp-request connection track-sc0 src table pm_rejected',
      'tcp-request connection reject if { fe_conn',
      'tcp-request connection track-sc0 src,ipmask',
      'tcp-request connection reject if { sc0_conn_cur',
      'tcp-request session track-sc0 src table pm_rejected',
      'tcp-request session reject if { fe_conn',
      'tcp-request session track-sc0 src,ipmask',
      'tcp-request session reject if { sc0_conn_cur',
      'http-request return status 200 content-type text/plain hdr Cache-Control no-store lf-string "%[path',
      'http-request set-var(txn.pm_upstream) src',
      'http-request del-header',
      'http-request unset-var(txn.pm_chain)',
      "http-request return status 400 content-type text/plain string 'unreadable client address'",
      'http-request set-src var(txn.pm_named)',
      'http-request set-src src,ipmask',
      'http-request track-sc2 int(1) table pm_log',
      "http-request track-sc1 'req.fhdr(host)",
      'http-request deny',
      'http-request track-sc1 src,ipmask(32,64) table pm_clients',
      "http-request return status 400 content-type text/plain string 'no Host header'",
      'http-request set-var(txn.host)',
      'http-request set-var(txn.site)',
      'http-request set-var(txn.https_seen)',
      'http-request set-var(txn.https) ',
      'http-request redirect',
      'http-after-response set-header Strict-Transport-Security',
      'http-request set-header X-Forwarded-For',
      'use_backend',
    ];
    const places = rules.map((rule) => text.indexOf(`\n    ${rule}`));
    expect(rules.filter((_, index) => places[index] === -1)).toEqual([]);
    expect(places).toEqual([...places].sort((one, other) => one - other));
  });

  test('changes its maxconn with the servers by their power of two only', async () => {
    const maxconn = async (count: number) => {
      const machine = { ...sampleInput.machine!, openFiles: 4_000 };
      const { text } = await Template.builtIn().render({ ...sampleInput, machine, sites: manySites(count) });
      return Number(/^ +maxconn (\d+)$/m.exec(text)?.[1]);
    };
    // Two servers each.
    const few = await maxconn(0);
    expect(await Promise.all([maxconn(1), maxconn(2), maxconn(32)])).toEqual([few, few, few]);
    expect([few, await maxconn(33), await maxconn(64)]).toEqual([1_808, 1_744, 1_744]);
  });

  test('renders the same bytes for any order of the sites', async () => {
    async function* backwards() {
      yield* [...sampleSites].reverse();
    }
    const forth = await Template.builtIn().render({ ...sampleInput, sites: sampleSites });
    const back = await Template.builtIn().render({ ...sampleInput, sites: backwards() });
    expect(back).toEqual(forth);
  });

  test('does not block the event loop while rendering thousands of sites', async () => {
    let turns = 0;
    let rendering = true;
    const count = () => {
      turns += 1;
      if (rendering) setImmediate(count);
    };
    setImmediate(count);
    const { text } = await Template.builtIn().render({ ...sampleInput, sites: manySites(5_000) });
    rendering = false;
    expect(text.match(/^backend site_/gm)).toHaveLength(5_000);
    expect(turns).toBeGreaterThan(25); // the sites alone are taken in 25 slices
  });

  test.each([
    ['30m', '30m', '15000ms'],
    ['4s', '4s', '2000ms'],
    ['2w', '1209600000ms', '15000ms'],
  ])('keeps the idle time below hard-stop-after %s', async (hardStopAfter, stop, idle) => {
    const { text } = await Template.builtIn().render({ ...sampleInput, hardStopAfter });
    expect(text).toContain(`hard-stop-after ${stop}\n`);
    expect(text).toContain(`timeout http-keep-alive ${idle}\n`);
  });

  test.each(['', '0s', '30', '-1m', '99d', '30m\n', '1h # x'])('refuses the time %j', async (hardStopAfter) => {
    const error = await errorOf(Template.builtIn().render({ ...sampleInput, hardStopAfter }));
    expect(error.message).toContain('hard_stop_after');
  });
});

describe('a value from outside', () => {
  // biome-ignore format: a table
  const hostile = [
    'a\nb', 'a\rb', 'a\0b', 'a b', 'a\tb', 'a#b', 'a"b', "a'b", 'a\\b', 'a\\nb', 'a$b', '$HOME', '%[src]', 'a,b',
    'a)b', 'a(b', 'a{b', 'a;b', 'a|b', 'a<b', 'a`b', 'a!b', 'a%0Ab', '{{ x }}', '{% x %}', 'a\u2028b', 'a\u0085b', '',
  ];

  test.each(hostile)('%j is refused in a server address, and named', async (address) => {
    const error = await errorOf(Template.builtIn().render(withServer(address)));
    expect(error.code).toBe(5001);
    expect(error.message).toContain('sites[a.example].servers[0].address');
    expect(error.members.output).toContain('sites[a.example].servers[0].address');
  });

  test.each(hostile)('%j is refused in every other place', async (value) => {
    const servers: Site['servers'] = [];
    const cases: [string, Partial<RenderInput>][] = [
      ['domain', { sites: [{ domain: value, servers }] }],
      ['names[0]', { sites: [{ domain: 'a.example', servers, names: [value] }] }],
      ['canonical', { sites: [{ domain: 'a.example', servers, canonical: value, enabled: false }] }],
      ['blocked_map', { blockedMap: value }],
      ['trusted_map', { trustedMap: value }],
      ['upstreams_map', { upstreamsMap: value }],
      ['proxy_protocol_map', { proxyProtocolMap: value }],
      ['http_bind[1]', { httpBind: [':80', value] }],
      ['stats_socket', { statsSocket: value }],
      ['access_log', { accessLog: value }],
      ['server_state_file', { serverStateFile: value }],
      ['names_map', { sitesMapBase: `/etc/${value === '' ? ' ' : value}/sites.map` }],
    ];
    for (const [name, change] of cases) {
      const error = await errorOf(Template.builtIn().render({ ...sampleInput, ...change }));
      expect(error.code).toBe(5001);
      expect(error.message).toContain(name);
    }
  });

  test.each(['https://a.example/x y', 'https://a.example/\nb.example site_b', 'https://a.example/|', 'x', ''])(
    '%j is refused as the target of a redirect, which is a value in the map of names',
    async (to) => {
      const sites: Site[] = [{ domain: 'a.example', servers: [], redirect: { to, status: 301, keep_path: false } }];
      const error = await errorOf(Template.builtIn().render({ ...sampleInput, sites }));
      expect(error.message).toContain('sites[a.example].redirect.to');
    },
  );

  test('never adds a line, a word or a comment, whatever it is', async () => {
    const template = Template.builtIn();
    const shape = (text: string) => text.split('\n').map((line) => line.split(/[ #"'\\]/).length);
    const expected = shape((await template.render(withServer('one'))).text);
    const anyText = fc.oneof(fc.string({ unit: anyCharacter }), fc.string({ unit: 'grapheme-ascii' }), fc.domain());
    let rendered = 0;
    await fc.assert(
      fc.asyncProperty(anyText, async (address) => {
        const result = await template.render(withServer(address)).catch((error: unknown) => error);
        if (result instanceof ServiceError) return;
        rendered += 1;
        expect(shape((result as { text: string }).text)).toEqual(expected);
      }),
      { numRuns: caseCount(1_000) },
    );
    expect(rendered).toBeGreaterThan(0);
  });

  test('an empty list of addresses for the front end is refused', async () => {
    const error = await errorOf(Template.builtIn().render({ ...sampleInput, httpBind: [] }));
    expect(error.message).toContain('http_bind is empty');
  });
});

describe("an operator's template", () => {
  let folder: string;
  let path: string;
  // In this thread; template-thread.test.ts tests the thread of a file's template.
  const render = (text: string, input = sampleInput) => renderConfiguration(text, path, input);
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pm-template-'));
    path = join(folder, 'my.cfg.liquid');
  });
  afterEach(() => rm(folder, { recursive: true }));

  test('is read at every render', async () => {
    await writeFile(path, `frontend one\n${rule}\n`);
    const template = await Template.fromFile(path);
    expect((await template.render(sampleInput)).text).toContain('frontend one');
    await writeFile(path, `frontend two\n${rule}\n`);
    expect((await template.render(sampleInput)).text).toContain('frontend two');
    await writeFile(path, '{{ no_such }}');
    expect((await errorOf(template.render(sampleInput))).members).toMatchObject({ line: 1 });
  });

  test('is rendered one at a time, and not after the service stops', async () => {
    await writeFile(path, `frontend f\n${rule}\n`);
    const begun: (() => void)[] = [];
    const template = await Template.fromFile(path, async (text, scope) => {
      await new Promise<void>((resolve) => void begun.push(resolve));
      return await renderTemplate(text, scope);
    });
    const renders = [1, 2, 3].map(() => template.render(sampleInput));
    const ends = Promise.allSettled(renders);
    await eventually('the first has its turn', () => begun.length > 0);
    for (let turn = 0; turn < 20; turn += 1) await nextTurn();
    expect(begun).toHaveLength(1);
    begun[0]!();
    await eventually('the second has its turn', () => begun.length > 1);
    template.stop();
    begun[1]!();
    // Each reads files before it is queued, so any of them may be the last.
    const ended = await ends;
    expect(ended.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    expect(ended.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: codes.ShuttingDown } });
  });

  test('may loop over sites and join words with a blank', async () => {
    const loop = '{% for s in sites %}# {{ s.domain }} {{ s.servers | map: "port" | join: " " }}\n{% endfor %}';
    const { text } = await render(`${loop}frontend f\n${rule}\n`, { ...sampleInput, sites: sampleSites });
    expect(text).toContain('# shop.example.com 8080 8080\n');
  });

  test('names months and days in English, whatever the locale of the machine', async () => {
    vi.spyOn(Intl.DateTimeFormat.prototype, 'resolvedOptions').mockReturnValue({
      ...new Intl.DateTimeFormat().resolvedOptions(),
      locale: 'de-DE',
    });
    const { text } = await render(`# {{ "2026-05-05" | date: "%A, %B" }}\nfrontend f\n${rule}\n`);
    expect(text).toContain('# Tuesday, May\n');
  });

  test('that does not exist is refused with its path', async () => {
    const error = await errorOf(Template.fromFile(join(folder, 'none')));
    expect(error.code).toBe(5001);
    expect(error.message).toContain(join(folder, 'none'));
  });

  test.each([
    ['an unknown variable', 'a\n{{ nothing }}\n', 2, 'nothing'],
    ['an unknown property', '\n\n{{ sites.first.nothing }}', 3, 'nothing'],
    ['an unknown filter', 'a\n{{ blocked_map | shout }}\n', 2, 'shout'],
    ['an unknown tag', 'a\n{% frobnicate %}\n', 2, 'frobnicate'],
    ['a tag left open', 'a\n{% if resolv_conf %}\n', 2, 'resolv_conf'],
    [
      'a tag without its end',
      'a\n{% if resolv_conf\nb | c\n{% endif %}\n',
      4,
      'the tag that begins in line 2 may not be closed',
    ],
    ['a file to include', 'a\n{% include "/etc/passwd" %}', 2, 'include'],
    ['a file to render', 'a\n{% render "/etc/passwd" %}', 2, 'render'],
    ['a layout', '{% layout "/etc/passwd" %}', 1, 'layout'],
    ['the filter that steps around the escape', '{{ blocked_map | raw }}', 1, 'raw'],
    ['a filter that makes a newline', 'a\n{{ blocked_map | append: "%0Ab" | url_decode }}', 2, '\\n'],
    ['an escape with a newline by echo', '{% echo "%0A" | url_decode %}', 1, '\\n'],
    ['an object as output', '{{ sites }}', 1, 'a list or an object'],
    ['an empty value as output', '{{ sites[0].servers[0].options.max_connections }}', 1, 'empty'],
    ['a reach for a constructor', '{{ sites.constructor }}', 1, 'constructor'],
    ['a loop without end', '{% for i in (1..900000000) %}x{% endfor %}', 1, 'limit'],
    ['no newline at the end', 'frontend f', null, 'does not end in a newline'],
    ['a NUL', 'frontend f\0\n', null, 'NUL'],
  ])('with %s is refused', async (_what, text, line, word) => {
    const error = await errorOf(render(text, { ...sampleInput, sites: sampleSites }));
    expect(error.code).toBe(5001);
    expect(error.members.line ?? null).toBe(line);
    expect(error.members.output).toContain(word);
    if (line !== null) expect(error.members.output).toContain(`line ${line}`);
  });

  test('an error after a closed tag does not mention that tag', async () => {
    const error = await errorOf(render('{{ blocked_map }}\n\n{% frobnicate %}\n', sampleInput));
    expect(error.members.output).toMatch(/line 3: [^;]*frobnicate[^;]*$/);
  });

  test('without the rule for the blocked map is refused with the line it needs', async () => {
    const error = await errorOf(render('frontend f\n  bind :80\n'));
    expect(error.code).toBe(5003);
    expect(error.message).toContain('src,map_ip(/etc/proxy/blocked_ips.map,0) -m int gt 0');
  });

  test.each([
    ['all rules', 'frontend f\n  mode http', true, null],
    [
      'none',
      'frontend f\n  mode http',
      false,
      'frontend f lacks http-request set-var(txn.pm_upstream) src,map_ip_int(',
    ],
    ['none, without HTTP', 'frontend f\n  mode tcp', false, null],
  ])('with upstreams and %s: %s', async (_what, section, aware, refusal) => {
    const lookup = `  http-request set-var(txn.pm_upstream) src,map_ip_int({{ upstreams_map }},0)
  http-request set-src req.hdr_ip(x-real-ip) if { var(txn.pm_upstream) -m int gt 0 }
  http-request set-var(txn.pm_upstream) int(0) if { req.hdr_ip(x-real-ip) -m found }
`;
    const text = `${section}\n${aware ? lookup : ''}${rule}${aware ? ' !{ var(txn.pm_upstream) -m int gt 0 }' : ''}\n`;
    const outcome = render(text, { ...sampleInput, hasUpstreams: true });
    if (refusal === null) expect((await outcome).warnings).toEqual([]);
    else expect((await errorOf(outcome)).message).toContain(refusal);
    expect((await render(text)).warnings).toEqual([]);
  });

  test('with a second front end that lacks the rule is accepted with a warning', async () => {
    const { warnings } = await render(`frontend f\n${rule}\nlisten stats\n  bind :8404\n`);
    expect(warnings).toEqual([expect.stringContaining('listen stats')]);
  });
});
