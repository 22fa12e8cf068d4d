import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { temporaryFolder } from '../../testkit/blocking.ts';
import { silentLog } from '../../testkit/silent-log.ts';
import { codes } from '../errors/catalogue.ts';
import { openDatabase } from '../store/open-database.ts';
import { UpstreamsStore } from '../store/upstreams-store.ts';
import { reviewUpstreamFiles } from './upstream-files.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let store: UpstreamsStore;
let close: () => Promise<void>;
const audited: unknown[] = [];
const file = (name: string) => join(folder.path, name);

beforeEach(async () => {
  folder = await temporaryFolder();
  const database = await openDatabase(`sqlite:${file('test.sqlite')}`, { createIfMissing: true });
  store = new UpstreamsStore(database);
  close = () => database.close();
  audited.length = 0;
});
afterEach(async () => {
  await close();
  await folder.remove();
});

const review = ({ knownInstance = false, acceptMapFile = false } = {}) =>
  reviewUpstreamFiles({
    settings: {
      upstreamsMap: file('upstreams.map'),
      proxyProtocolMap: file('proxy_protocol.map'),
      httpsSitesMap: file('https_sites.map'),
      acmeChallengesMap: file('acme_challenges.map'),
      attached: false,
      acceptMapFile,
    },
    store,
    audit: { done: (note) => void audited.push(note.details) },
    knownInstance,
    log: silentLog,
    now: () => new Date(),
  });

const ours = '# proxy-manager: upstreams\n10.0.3.0/24 1\n10.0.4.0/24 1\n2001:db8::/32 23\n192.0.2.1 9\n';
const oursProtocol = '# proxy-manager: PROXY protocol\n192.0.2.1 1\n10.0.4.0/24 1\n';

it('imports the upstreams of an earlier service at the first start, by what they say', async () => {
  await writeFile(file('upstreams.map'), `${ours}198.51.100.0/24 77\n`);
  await writeFile(file('proxy_protocol.map'), oursProtocol);
  await review();
  const rows = (await store.all()).map(({ networks, header, chain, proxyProtocol, onInvalid }) => [
    networks.map(({ text }) => text).join(),
    header,
    chain,
    proxyProtocol,
    onInvalid,
  ]);
  expect(rows).toEqual([
    ['10.0.3.0/24', 'x-forwarded-for', true, false, 'reject'],
    ['10.0.4.0/24', 'x-forwarded-for', true, true, 'reject'],
    ['2001:db8::/32', 'cf-connecting-ip', false, false, 'judge_upstream'],
    ['192.0.2.1', null, false, true, 'reject'],
  ]);
  expect(audited).toEqual([{ imported: 4, map: 'upstreams' }]);
  await review();
  expect(await store.count()).toBe(4);
});

it('imports nothing into a known database, and nothing without files', async () => {
  await review();
  await writeFile(file('upstreams.map'), ours);
  await review({ knownInstance: true });
  expect(await store.count()).toBe(0);
});

it.each([false, true])('refuses a file of another program, known database or not (%s)', async (knownInstance) => {
  for (const name of ['upstreams.map', 'proxy_protocol.map', 'https_sites.map']) {
    await writeFile(file(name), '10.0.3.0/24 1\n');
    await expect(review({ knownInstance })).rejects.toMatchObject({ code: codes.ForeignMapFile });
    await review({ knownInstance, acceptMapFile: true });
    await writeFile(file(name), '# nothing in it\n');
    await review({ knownInstance });
  }
  expect(await store.count()).toBe(0);
});
