import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { silentLog } from '../../../testkit/silent-log.ts';
import { acceptedRule } from '../rules/blocked-rule.ts';
import { LiveFile } from './live-file.ts';
import { LiveRule } from './live-rule.ts';

const blockedMap = '/e/blocked.map';
const trustedMap = '/e/trusted.map';
const deny = `http-request deny if { src,map_ip(${blockedMap},0) -m int gt 0 }`;
const office = `acl office src,map_ip(${trustedMap},0) -m int gt 0\nuse_backend desk if office`;
const narrowed = `http-request deny if { src,map_ip(${blockedMap},0) -m int gt 0 } !{ path /open } !office`;

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pm-rule-'));
  path = join(folder, 'proxy.cfg');
});
afterEach(() => rm(folder, { recursive: true }));

const upstreamsMap = '/etc/proxy/upstreams.map';
const proxyProtocolMap = '/etc/proxy/proxy_protocol.map';
const httpsSitesMap = '/etc/proxy/https_sites.map';
const acmeChallengesMap = '/etc/proxy/acme_challenges.map';

async function ruleIn(text: string | null): Promise<LiveRule> {
  if (text !== null) await writeFile(path, text);
  const rule = new LiveRule({
    live: new LiveFile(path),
    settings: {
      blockedMap,
      trustedMap,
      upstreamsMap,
      proxyProtocolMap,
      httpsSitesMap,
      acmeChallengesMap,
      configFile: path,
    },
    log: silentLog,
  });
  await rule.check();
  return rule;
}

const trustIn = async (text: string | null) => (await ruleIn(text)).trust;

describe('trust in the live configuration', () => {
  it.each([
    ['has effect by the exception', acceptedRule(blockedMap, trustedMap), { mapLoaded: true, hasEffect: true }],
    ['has none where nothing names the map', deny, { mapLoaded: false, hasEffect: false }],
    ['has none where only a comment names it', `${deny} # ${trustedMap}`, { mapLoaded: false, hasEffect: false }],
    ['has none where something else names it', `${office}\n${deny}`, { mapLoaded: true, hasEffect: false }],
    ['is not known where no rule is', office, { mapLoaded: true, hasEffect: null }],
    ['is not known where the rule is another', `${office}\n${narrowed}`, { mapLoaded: true, hasEffect: null }],
  ])('%s', async (_how, lines, wanted) => {
    expect(await trustIn(`frontend f\nbind :80\n${lines}\n`)).toEqual(wanted);
  });

  it('has no effect if one of the rules lacks the exception', async () => {
    const rules = `frontend f\n${acceptedRule(blockedMap, trustedMap)}\nfrontend g\n${deny}\n`;
    expect(await trustIn(rules)).toEqual({ mapLoaded: true, hasEffect: false });
  });

  it('has an unknown effect without a readable configuration', async () => {
    expect(await trustIn(null)).toEqual({ mapLoaded: null, hasEffect: null });
    await writeFile(path, Buffer.from([0xff, 0xfe]));
    expect(await trustIn(null)).toEqual({ mapLoaded: null, hasEffect: null });
  });
});

describe('upstreams in the live configuration', () => {
  const lookup = `http-request set-var(txn.pm_upstream) src,map_ip_int(${upstreamsMap},0)`;
  const aware = [
    lookup,
    'http-request set-src req.hdr_ip(x-real-ip) if { var(txn.pm_upstream) -m int gt 0 }',
    'http-request set-var(txn.pm_upstream) int(0) if { req.hdr_ip(x-real-ip) -m found }',
    `${deny} !{ var(txn.pm_upstream) -m int gt 0 }`,
  ].join('\n');
  const frontEnd = (name: string, lines: string) => `frontend ${name}\nmode http\nbind :80\n${lines}\n`;
  const found = async (text: string | null) => {
    const { mapLoaded, frontEnds } = (await ruleIn(text)).upstreams;
    const reasons = frontEnds(false)?.flatMap(({ inForce, reason }) => (inForce === true ? [] : [reason]));
    return [mapLoaded, reasons?.map((reason) => reason?.replace(/ lacks .*/, ''))];
  };

  it.each([
    ['are in force in every front end', frontEnd('a', aware) + frontEnd('b', aware), [true, []]],
    [
      'are not in one that denies blocked addresses alone',
      frontEnd('a', aware) + frontEnd('b', deny),
      [true, ['frontend b']],
    ],
    ['need nothing in one that denies none', frontEnd('a', aware) + frontEnd('stats', 'stats uri /'), [true, []]],
    ['are not in force if the map is only looked up', frontEnd('a', `${lookup}\n${deny}`), [true, ['frontend a']]],
    [
      'are not in force if only a comment names the map',
      frontEnd('a', `${deny} # ${upstreamsMap}`),
      [false, ['frontend a']],
    ],
  ])('%s', async (_what, text, expected) => {
    expect(await found(text)).toEqual(expected);
  });

  it('are unknown without a configuration', async () => {
    expect(await found(null)).toEqual([null, undefined]);
  });
});

it('reads the file once for each change, and finds what it binds and where it logs', async () => {
  const text = (port: number) =>
    `frontend f\nbind 127.0.0.1:${port}\nlog /run/log len 2048 local0\nlog global\n${deny}\n`;
  const rule = await ruleIn(text(80));
  const read = vi.spyOn(LiveFile.prototype, 'read');
  try {
    const found = { exists: true, problem: null, logSockets: ['/run/log'] };
    expect(await rule.findings()).toMatchObject({ ...found, binds: [{ host: '127.0.0.1', port: 80 }] });
    await rule.check();
    expect(read).not.toHaveBeenCalled();
    await writeFile(path, text(8_080));
    expect(await rule.findings()).toMatchObject({ ...found, binds: [{ port: 8_080 }] });
    expect(read).toHaveBeenCalledTimes(1);
    await rm(path);
    expect(await rule.findings()).toMatchObject({ exists: false, problem: null, binds: [], logSockets: [] });
    await writeFile(path, Buffer.from([0xff, 0xfe]));
    await expect(rule.findings()).rejects.toThrow('is not UTF-8');
  } finally {
    read.mockRestore();
  }
});
