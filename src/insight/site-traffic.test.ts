import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { InsightKit } from '../../testkit/insight/insight-kit.ts';
import { insightServiceOf } from '../../testkit/insight/insight-service-of.ts';
import { StoreFolder } from '../../testkit/store/store-folder.ts';
import type { Database } from '../store/open-database.ts';
import { type SiteHour, SiteHoursStore } from '../store/site-hours-store.ts';
import { SiteTraffic } from './site-traffic.ts';

const shop = 'shop.example';
let folder: StoreFolder;
let database: Database;
let kit: InsightKit;

beforeEach(async () => {
  folder = new StoreFolder();
  database = await folder.open();
  kit = new InsightKit(database);
});
afterEach(() => folder.remove());

const serve = (requests: number, serverErrors = 0, responseMs = 20, worker = kit.haproxy.current) =>
  kit.haproxy.serve(shop, { requests, serverErrors, responseMs }, worker);
const trafficOf = async (...sites: string[]) =>
  (await insightServiceOf(kit, database, sites.length > 0 ? sites : [shop]).siteTraffic()).items;

describe('the traffic of a site', () => {
  it('has the requests since the first reading, and the mean of their response times', async () => {
    serve(1_000, 500, 900);
    await kit.pass(10);
    serve(30, 1, 10);
    await kit.pass(10);
    serve(10, 2, 50);
    kit.haproxy.site(shop, 2);
    await kit.pass(10);
    expect(await trafficOf()).toEqual([{ site: shop, requests: 40, denied: 32, server_errors: 3, response_ms: 20 }]);
  });

  it('has an error that is counted only after its request', async () => {
    await kit.pass(10);
    serve(1, 0);
    await kit.pass(10);
    serve(0, 1);
    await kit.pass(10);
    expect(await trafficOf()).toMatchObject([{ requests: 1, server_errors: 1 }]);
  });

  it('goes on through reloads, with what a draining worker answers', async () => {
    await kit.pass(10);
    serve(5);
    await kit.pass(10);
    kit.haproxy.reload({ drains: true });
    serve(7);
    serve(2, 0, 20, kit.haproxy.draining);
    await kit.pass(20);
    kit.haproxy.reload({ drains: false });
    serve(3);
    await kit.pass(10);
    // Another HAProxy, which counts from 0.
    kit.haproxy.start();
    serve(4);
    await kit.pass(10);
    expect(await trafficOf()).toMatchObject([{ requests: 21 }]);
  });

  it('has of a worker that did not answer at first only what it counts from then on', async () => {
    serve(1_000);
    kit.haproxy.silent = true;
    await kit.pass(10);
    kit.haproxy.silent = false;
    await kit.pass(10);
    serve(3);
    await kit.pass(10);
    expect(await trafficOf()).toMatchObject([{ requests: 3 }]);
  });

  it('is stored, and goes on after an end of the service without what came in between', async () => {
    await kit.pass(10);
    serve(5);
    kit.haproxy.site(shop, 1);
    await kit.pass(60);
    kit.restart();
    serve(100);
    await kit.pass(10);
    serve(3);
    await kit.pass(10);
    expect(await trafficOf()).toMatchObject([{ requests: 8, denied: 16 }]);
  });

  it('is stored again if it changes while it is written, or if that fails', async () => {
    const traffic = new SiteTraffic();
    const at = kit.seconds;
    const written: number[][] = [];
    const store = (write: (rows: readonly SiteHour[]) => void = () => undefined) =>
      traffic.store(1, async (rows) => {
        written.push(rows.map(({ denied }) => denied));
        write(rows);
      });
    traffic.deny(shop, 16, at);
    traffic.deny('blog.example', 16, at);
    await store(() => {
      if (written.length === 1) traffic.deny(shop, 16, at);
    });
    expect(written).toEqual([[16], [16]]);
    const full = () => {
      throw new Error('disk full');
    };
    await expect(store(full)).rejects.toThrow('disk full');
    await store();
    await store();
    expect(written).toEqual([[16], [16], [32], [32]]);
  });

  it('ends after 24 hours, and is deleted then', async () => {
    await kit.pass(10);
    serve(5);
    await kit.pass(60);
    kit.now = new Date(kit.now.getTime() + 23 * 3_600_000);
    await kit.pass(10);
    expect(await trafficOf()).toMatchObject([{ requests: 5 }]);
    kit.now = new Date(kit.now.getTime() + 3_600_000);
    serve(2);
    await kit.pass(70);
    expect(await trafficOf()).toMatchObject([{ requests: 2 }]);
    const stored = await new SiteHoursStore(database).since(0);
    expect(stored.map(({ requests }) => requests)).toEqual([2]);
  });

  it('is null, not 0, where HAProxy has no backend of the site, and where it counts no denied requests of sites', async () => {
    await kit.pass(10);
    serve(0);
    await kit.pass(10);
    const none = { denied: 0, response_ms: null };
    expect(await trafficOf(shop, 'old.example')).toEqual([
      { site: shop, requests: 0, server_errors: 0, ...none },
      { site: 'old.example', requests: null, server_errors: null, ...none },
    ]);
    kit.haproxy.counts = false;
    kit.haproxy.reload({ drains: false });
    serve(0);
    await kit.pass(10);
    expect(await trafficOf()).toMatchObject([{ requests: 0, denied: null }]);
  });
});
