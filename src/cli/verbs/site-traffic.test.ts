import { expect, it } from 'vitest';
import { listSiteTraffic } from '../../api/insight.ts';
import { unpainted } from '../output/colour.ts';
import { plainLine, Table } from '../output/table.ts';
import { siteColumns } from './site-traffic.ts';

const [shop, redirected] = listSiteTraffic.examples.two.answer.items;

it('a site has separators in its figures for people, and none in a pipe', () => {
  const table = new Table({ columns: siteColumns, width: 80, paint: unpainted });
  expect(table.page([shop!]).at(-1)!.split(/\s+/)).toEqual(['1,284,902', '31', '42', '20,480', shop!.site]);
  expect(plainLine(siteColumns, shop!)).toBe(`1284902\t31\t42\t20480\t${shop!.site}`);
});

it('a figure that is not known is a dash, never 0', () => {
  expect(plainLine(siteColumns, redirected!)).toBe(`-\t-\t-\t16\t${redirected!.site}`);
  expect(plainLine(siteColumns, { ...shop!, server_errors: 0, denied: null })).toBe(`1284902\t0\t42\t-\t${shop!.site}`);
});
