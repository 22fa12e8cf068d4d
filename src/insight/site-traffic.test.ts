import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { InsightKit } from '../../testkit/insight/insight-kit.ts';
import { insightServiceOf } from '../../testkit/insight/insight-service-of.ts';
import { StoreFolder } from '../../testkit/store/store-folder.ts';
import type { Database } from '../store/open-database.ts';

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

const serve = (requests: number, serverErrors = 0, responseMs = 20) =>
  kit.haproxy.serve(shop, { requests, serverErrors, responseMs });
const trafficOf = async (sites: readonly string[] = [shop]) =>
  (await insightServiceOf(kit, database, sites).siteTraffic(3_600)).items;

describe('the traffic of a site', () => {
  it('has the requests since the first reading, and the mean of their response times', async () => {
    serve(1_000, 500, 900);
    await kit.pass(10);
    serve(30, 1, 10);
    await kit.pass(10);
    serve(10, 2, 50);
    await kit.pass(60);
    expect(await trafficOf()).toEqual([{ site: shop, requests: 40, denied: 0, server_errors: 3, response_ms: 20 }]);
  });

  it('has an error that is counted only after its request', async () => {
    await kit.pass(10);
    serve(1, 0);
    await kit.pass(10);
    serve(0, 1);
    await kit.pass(60);
    expect(await trafficOf()).toMatchObject([{ requests: 1, server_errors: 1 }]);
  });

  it('goes on through a reload, a draining worker, and an end of the service', async () => {
    await kit.pass(10);
    serve(5);
    await kit.pass(10);
    kit.haproxy.reload({ drains: true });
    serve(7);
    kit.haproxy.serve(shop, { requests: 2, serverErrors: 0, responseMs: 20 }, kit.haproxy.draining);
    await kit.pass(60);
    expect(await trafficOf()).toMatchObject([{ requests: 14 }]);
    serve(3);
    kit.restart();
    await kit.pass(70);
    expect(await trafficOf()).toMatchObject([{ requests: 17 }]);
    // Another HAProxy, which counts from 0.
    kit.haproxy.start();
    serve(4);
    await kit.pass(70);
    expect(await trafficOf()).toMatchObject([{ requests: 21 }]);
  });

  it('is null for sites without a series of their own', async () => {
    const unknown = { requests: null, denied: null, server_errors: null, response_ms: null };
    const sites = Array.from({ length: 52 }, (_, n) => `s${n}.example`);
    await kit.pass(10);
    for (const site of sites) kit.haproxy.serve(site, { requests: 1, serverErrors: 0, responseMs: 5 });
    await kit.pass(70);
    const items = await trafficOf([...sites, shop]);
    expect(items[0]).toEqual({ site: 's0.example', requests: 1, denied: 0, server_errors: 0, response_ms: 5 });
    expect(items.slice(-3)).toEqual(['s50.example', 's51.example', shop].map((site) => ({ site, ...unknown })));
  });
});
