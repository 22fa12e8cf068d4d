import { mkdir, readFile, rmdir, unlink, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type BlockingKit, caller } from '../../testkit/blocking.ts';
import { eventually } from '../../testkit/conditions.ts';
import { openScriptedBlocking } from '../../testkit/scripted-blocking.ts';
import { type ScriptedMaster, say } from '../../testkit/scripted-master.ts';
import { silentLog } from '../../testkit/silent-log.ts';
import type { StoppedTime } from '../../testkit/stop-time.ts';
import type { HttpsInConfiguration } from '../blocking/https-set.ts';
import type { SiteTls } from '../domain/site-tls.ts';
import { codes } from '../errors/catalogue.ts';
import { AuditStore } from '../store/audit-store.ts';
import { SiteTlsStore } from '../store/site-tls-store.ts';
import { SitesStore } from '../store/sites-store.ts';
import { SitesTls } from './site-tls.ts';

const redirect: SiteTls = { redirect: 'auto', hsts: null };
const both: SiteTls = { redirect: 'auto', hsts: { max_age: 300, include_subdomains: true, preload: false } };
const shop = 'shop.example.com';

let close: () => Promise<void>;
let kit: BlockingKit;
let master: ScriptedMaster;
let time: StoppedTime;
let owners: Map<string, string>;
let served: Set<string>;
/** By id, why. */
let lost: Map<string, string>;
let usage: HttpsInConfiguration;
let emitted: string[];
let tls: SitesTls;

const certificates = () => ({
  certificatesFor: async (names: readonly string[]) =>
    new Map(names.flatMap((name): [string, string][] => (owners.has(name) ? [[name, owners.get(name)!]] : []))),
  whyNotServed: (id: string) => (served.has(id) ? null : 'worker 7: it is not loaded'),
  whyLost: (id: string) => lost.get(id) ?? null,
});
const sitesTls = (enabled = true) =>
  new SitesTls({
    set: kit.https,
    certificates: certificates(),
    enabled,
    emit: (type, data) => void emitted.push(`${type} ${JSON.stringify(data).slice(0, 60)}`),
    log: silentLog,
  });
const addSite = async (domain: string) =>
  void (await new SitesStore(kit.database).put({ domain, servers: [] }, new Date()));
const path = () => `${kit.mapPath}.https_sites`;
const running = (worker = master.current) =>
  master
    .map(path(), worker)
    .live()
    .map(({ key, value }) => `${key} ${value}`)
    .sort();
const file = async () =>
  (await readFile(path(), 'utf8'))
    .split('\n')
    .filter((line) => line !== '' && line[0] !== '#')
    .sort();
/** All three copies. */
const entries = async () => {
  const stored = [...(await new SiteTlsStore(kit.database).entries())].map((entry) => entry.join(' '));
  expect([running(), await file()]).toEqual([stored, stored]);
  return stored;
};
/** One run of the loop. */
const updated = async () => await tls.around('none', [], async () => undefined).then(() => once());
const once = async () => {
  const loop = sitesTls();
  loop.start();
  await loop.stop();
};

beforeEach(async () => {
  lost = new Map();
  [owners, served, emitted, usage] = [new Map([[shop, 'c-a']]), new Set(['c-a']), [], { mapLoaded: true }];
  const httpsUsage = {
    get last() {
      return usage;
    },
    check: async () => usage,
  };
  ({ kit, master, time, close } = await openScriptedBlocking({ loadsHttps: true, httpsUsage }));
  await kit.trusted.updateTrustedIpsMap();
  await kit.upstreams.updateUpstreamMaps();
  await kit.https.updateHttpsMap();
  await kit.reconciler.check(true);
  tls = sitesTls();
  await addSite(shop);
});
afterEach(() => close());

describe('the TLS settings of a site', () => {
  it('are off at first', async () => {
    expect(await tls.get(shop)).toEqual({
      domain: shop,
      redirect: 'off',
      hsts: null,
      tls_enabled: true,
      certificate: 'c-a',
      names_without_certificate: [],
      in_force: true,
      reason: null,
    });
    await expect(tls.get('other.example.com')).rejects.toMatchObject({ code: codes.NotFound });
  });

  it('are in the database, the file and the worker, and in the audit log', async () => {
    const answer = await tls.put(shop, both, caller());
    expect(answer).toEqual({
      ...both,
      domain: shop,
      tls_enabled: true,
      certificate: 'c-a',
      names_without_certificate: [],
      in_force: true,
      reason: null,
      runtime_updated: true,
      reload_scheduled: false,
    });
    expect(await entries()).toEqual([`${shop} redirect:300:sub`]);
    expect(kit.reloads).toEqual([]);
    expect(emitted).toEqual([expect.stringContaining('set_site_tls')]);
    const [row] = (await new AuditStore(kit.database).page({ limit: 10 })).items;
    expect(row).toMatchObject({ operation: 'set_site_tls', target: shop, details: both });
  });

  it('are changed and removed without a moment without them', async () => {
    await tls.put(shop, both, caller());
    const before = master.commands.length;
    await tls.put(shop, redirect, caller());
    expect(await entries()).toEqual([`${shop} redirect`]);
    const sent = master.commands.slice(before).filter((command) => command.includes(' del map '));
    expect(sent).toEqual([]);
    await tls.put(shop, { redirect: 'off', hsts: null }, caller());
    expect(await entries()).toEqual([]);
  });

  it('of two callers at once do not undo each other', async () => {
    const { hsts } = both;
    const changes = [
      (before: SiteTls) => ({ ...before, hsts }),
      (before: SiteTls) => ({ ...before, ...redirect, hsts: before.hsts }),
    ];
    await Promise.all(changes.map((change) => tls.change(shop, change, caller())));
    expect(await tls.get(shop)).toMatchObject(both);
    expect(await entries()).toEqual([`${shop} redirect:300:sub`]);
  });

  it('stay when the servers of the site change', async () => {
    await tls.put(shop, both, caller());
    await addSite(shop);
    expect(await tls.get(shop)).toMatchObject({ ...both, in_force: true });
  });

  it('are refused for an unknown site, and without TLS, and nothing is stored', async () => {
    await expect(tls.put('other.example.com', both, caller())).rejects.toMatchObject({ code: codes.NotFound });
    await expect(sitesTls(false).put(shop, both, caller())).rejects.toMatchObject({
      code: codes.TlsNotConfigured,
    });
    expect(await tls.get(shop)).toMatchObject({ redirect: 'off' });
    expect(await entries()).toEqual([]);
  });

  it('are not in force before a worker was read back', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    master.script = (command) => (command.includes(' add map ') ? { kind: 'wait', until: promise } : undefined);
    const put = tls.put(shop, redirect, caller());
    await eventually('it is stored', async () => (await tls.get(shop)).redirect === 'auto');
    expect(await tls.get(shop)).toMatchObject({ in_force: false, reason: 'the workers are being changed' });
    resolve();
    expect(await put).toMatchObject({ in_force: true });
  });

  it('are rolled back if the file cannot be written', async () => {
    await tls.put(shop, redirect, caller());
    await unlink(path());
    await mkdir(path());
    await expect(tls.put(shop, both, caller())).rejects.toMatchObject({ code: codes.MapFileUnusable });
    expect(await tls.get(shop)).toMatchObject({ ...redirect, in_force: true });
    expect(running()).toEqual([`${shop} redirect`]);
    await rmdir(path());
  });

  it('that a worker rejects are reported, and a reload is scheduled', async () => {
    master.script = (command) => (command.includes(' add map ') ? say('Out of memory error.\n\n') : undefined);
    expect(await tls.put(shop, both, caller())).toMatchObject({
      in_force: false,
      reason: expect.stringContaining('rejected'),
      runtime_updated: false,
      reload_scheduled: true,
    });
    expect(kit.reloads).toHaveLength(1);
    expect(await file()).toEqual([`${shop} redirect:300:sub`]);
  });

  it('are reported as not in force if the configuration does not use the map', async () => {
    usage = { mapLoaded: false };
    served.clear();
    const reason = expect.stringContaining('reload, or add them to your template');
    expect(await tls.put(shop, both, caller())).toMatchObject({ in_force: false, reason });
    served.add('c-a');
    master.current.maps.delete(path());
    expect(await tls.put(shop, both, caller())).toMatchObject({
      in_force: false,
      reason: expect.stringContaining('no rules for redirects'),
      runtime_updated: false,
      reload_scheduled: false,
    });
    await kit.reconciler.check(true);
    expect(kit.registry.allInSync()).toBe(true);
  });

  it('that another process changes in the worker or in the file are restored', async () => {
    await tls.put(shop, both, caller());
    master.map(path()).set(shop, 'off');
    master.map(path()).add('evil.example.com', 'redirect');
    await kit.reconciler.check(true);
    expect(await entries()).toEqual([`${shop} redirect:300:sub`]);
    await writeFile(path(), 'evil.example.com redirect\n');
    await kit.reconciler.check(false);
    expect(await entries()).toEqual([`${shop} redirect:300:sub`]);
  });

  it('are in a new worker, also if it read an old file', async () => {
    await tls.put(shop, redirect, caller());
    master.beginReload({ [path()]: [] });
    master.finishReload();
    await kit.reconciler.check(false);
    expect(running()).toEqual([`${shop} redirect`]);
  });
});

describe('redirects and HSTS', () => {
  it('wait for a certificate that is proved to be served', async () => {
    owners.clear();
    expect(await tls.put(shop, both, caller())).toMatchObject({
      certificate: null,
      names_without_certificate: ['shop.example.com'],
      in_force: false,
      reason: `there is no certificate for ${shop}`,
      runtime_updated: true,
    });
    owners.set(shop, 'c-b');
    await updated();
    expect(await entries()).toEqual([]);
    expect(await tls.get(shop)).toMatchObject({
      certificate: 'c-b',
      names_without_certificate: [],
      reason: `the certificate c-b of ${shop} is not proved to be served: worker 7: it is not loaded`,
    });
    served.add('c-b');
    await updated();
    expect(await entries()).toEqual([`${shop} redirect:300:sub`]);
  });

  it('go on after a restart, before certificates are checked', async () => {
    await tls.put(shop, redirect, caller());
    served.clear();
    await updated();
    expect(await entries()).toEqual([`${shop} redirect`]);
  });

  it('end when HAProxy can only serve the default certificate instead, and begin again afterwards', async () => {
    await tls.put(shop, both, caller());
    lost.set('c-a', 'HAProxy refuses it (too weak)');
    served.clear();
    await updated();
    expect(await entries()).toEqual([]);
    lost.clear();
    await updated();
    expect(await entries()).toEqual([]);
    served.add('c-a');
    await updated();
    expect(await entries()).toEqual([`${shop} redirect:300:sub`]);
  });

  it('end before HAProxy starts if it cannot serve the certificate, and otherwise stay', async () => {
    await tls.put(shop, redirect, caller());
    const sent = master.commands.length;
    served.clear();
    await tls.endBeforeStart();
    expect(await file()).toEqual([`${shop} redirect`]);
    lost.set('c-a', 'it has no file, and its key cannot be read');
    await tls.endBeforeStart();
    expect(await file()).toEqual([]);
    expect(await new SiteTlsStore(kit.database).entries()).toEqual(new Map());
    expect(master.commands).toHaveLength(sent);
    expect(await tls.get(shop)).toMatchObject({ redirect: 'auto', in_force: false });
  });

  it('end before the certificate is taken away, and begin again if it was not', async () => {
    await tls.put(shop, redirect, caller());
    await expect(
      tls.around('c-a', [shop], async () => {
        expect(await entries()).toEqual([]);
        throw new Error('it stays');
      }),
    ).rejects.toThrow('it stays');
    await updated();
    expect(await entries()).toEqual([`${shop} redirect`]);
    await tls.around('c-a', [shop], async () => void owners.clear());
    await updated();
    expect(await entries()).toEqual([]);
    expect(await tls.get(shop)).toMatchObject({ redirect: 'auto', in_force: false });
  });

  it('keep the certificate if their end cannot be made durable', async () => {
    await tls.put(shop, redirect, caller());
    await unlink(path());
    await mkdir(path());
    let removed = false;
    const removal = tls.around('c-a', [shop], async () => {
      removed = true;
    });
    await expect(removal).rejects.toMatchObject({ code: codes.MapFileUnusable });
    expect(removed).toBe(false);
    await rmdir(path());
  });

  it('keep the certificate if a current worker did not confirm their end', async () => {
    await tls.put(shop, redirect, caller());
    master.script = (command) => (command.includes(' del map ') ? say('Out of memory error.\n\n') : undefined);
    const removal = tls.around('c-a', [shop], async () => expect.unreachable('it is removed'));
    await expect(time.during(removal, 20)).rejects.toMatchObject({
      code: codes.Unavailable,
      message: expect.stringContaining(shop),
    });
    master.script = () => undefined;
    await kit.reconciler.check(true);
    await updated();
    expect(await entries()).toEqual([`${shop} redirect`]);
    // Nothing of a site without wishes depends on it.
    master.script = (command) => (command.includes(' del map ') ? say('Out of memory error.\n\n') : undefined);
    expect(await tls.around('c-b', ['other.example.com'], async () => 'removed')).toBe('removed');
  });

  it('wait for a worker that is not compared yet before the certificate is taken away', async () => {
    await tls.put(shop, redirect, caller());
    const current = kit.registry.all().find(({ role }) => role === 'current')!;
    kit.registry.markSuspect(current.pid, 'https_sites', 'not compared yet');
    let removed = false;
    const removal = tls.around('c-a', [shop], async () => {
      removed = true;
    });
    await eventually('the end is in the file', async () => (await file()).length === 0);
    expect(removed).toBe(false);
    await kit.reconciler.check(true);
    await time.during(removal);
    expect(removed).toBe(true);
  });

  it('are for every name of the site that has a certificate, and not for a name of another site below a wildcard', async () => {
    const other = 'other.example.com';
    await new SitesStore(kit.database).put(
      { domain: shop, names: ['www.example.com', '*.example.com'], servers: [] },
      new Date(),
    );
    await addSite(other);
    owners.set('*.example.com', 'c-a');
    expect(await tls.put(shop, redirect, caller())).toMatchObject({
      in_force: false,
      reason: 'there is no certificate for www.example.com',
    });
    expect(await entries()).toEqual([
      `*.example.com redirect`,
      `${other} off`,
      `${shop} redirect`,
      'www.example.com off',
    ]);
    owners.set(other, 'c-a');
    await tls.put(other, both, caller());
    await tls.put(shop, { redirect: 'off', hsts: null }, caller());
    expect(await entries()).toEqual([`${other} redirect:300:sub`]);
  });

  it('wait for the certificate of the canonical name, to which the other names are redirected', async () => {
    const names = ['www.example.com', '*.shop.example.com'];
    await new SitesStore(kit.database).put({ domain: shop, names, canonical: shop, servers: [] }, new Date());
    owners = new Map(names.map((name) => [name, 'c-a']));
    const waiting = { in_force: false, reason: `there is no certificate for ${shop}` };
    expect(await tls.put(shop, redirect, caller())).toMatchObject(waiting);
    expect(await entries()).toEqual(['*.shop.example.com redirect']);
    owners.set(shop, 'c-b');
    served.add('c-b');
    await updated();
    const all = ['*.shop.example.com redirect', `${shop} redirect`, 'www.example.com redirect'];
    expect(await entries()).toEqual(all);
    await tls.around('c-b', [shop], async () => expect(await entries()).toEqual(['*.shop.example.com redirect']));
  });

  it('end for names that a lost wildcard covered', async () => {
    await tls.put(shop, redirect, caller());
    await tls.around('c-a', ['*.example.com'], async () => expect(await entries()).toEqual([]));
  });

  it('end while the site is disabled', async () => {
    await tls.put(shop, redirect, caller());
    await new SitesStore(kit.database).put({ domain: shop, enabled: false, servers: [] }, new Date());
    await updated();
    expect(await entries()).toEqual([]);
    expect(await tls.get(shop)).toMatchObject({ in_force: false, reason: 'the site is disabled' });
  });

  it('end with the site', async () => {
    await tls.put(shop, redirect, caller());
    await new SitesStore(kit.database).remove(shop);
    await updated();
    expect(await entries()).toEqual([]);
  });

  it('of many names take several turns', async () => {
    for (let number = 0; number < 450; number += 1) {
      const domain = `n${number}.example.com`;
      await addSite(domain);
      await new SiteTlsStore(kit.database).change(
        { site: { domain, tls: redirect }, set: new Map(), remove: [] },
        new Date(),
      );
      owners.set(domain, 'c-a');
    }
    await updated();
    expect(await entries()).toHaveLength(450);
  });
});
