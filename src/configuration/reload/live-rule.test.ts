import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
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

async function trustIn(text: string | null) {
  if (text !== null) await writeFile(path, text);
  const rule = new LiveRule({
    live: new LiveFile(path),
    settings: { blockedMap, trustedMap, upstreamsMap: '/etc/proxy/upstreams.map', configFile: path },
    log: silentLog,
  });
  await rule.check();
  return rule.trust;
}

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
