import { describe, expect, it } from 'vitest';
import { sampleInput, sampleSites } from '../../../testkit/configuration/template-samples.ts';
import type { InsightMode } from '../../domain/insight-mode.ts';
import { findBlockedRule } from '../rules/blocked-rule.ts';
import type { RenderInput } from './render-scope.ts';
import { Template } from './template.ts';

const complete: RenderInput = {
  ...sampleInput,
  accessLog: 'auto',
  connectionsPerSource: 100,
  hasUpstreams: true,
  sites: sampleSites,
};

const rendered = async (insight: InsightMode, input: Partial<RenderInput> = {}) =>
  (await Template.builtIn().render({ ...complete, insight, ...input })).text;

/** Without comments and blank lines. */
const rules = (text: string) => text.split('\n').filter((line) => !/^\s*(#|$)/.test(line));

describe('counting in the built-in template', () => {
  it('is rendered as the golden file has it', async () => {
    const { text, warnings } = await Template.builtIn().render({ ...complete, insight: 'on' });
    await expect(text).toMatchFileSnapshot('golden/built-in-counting.cfg');
    expect(warnings).toEqual([]);
  });

  it('that is off is not in the configuration', async () => {
    const { insight: _absent, ...input } = { ...complete, insight: 'off' as const };
    expect(await rendered('off')).toBe((await Template.builtIn().render(input)).text);
    expect(await rendered('off')).not.toMatch(/pm_(denied|sites|rejected|clients)|localpeer|^peers|^\.if/m);
  });

  it('changes no rule that is there without it, but adds to the page for denied clients', async () => {
    const counting = rules(await rendered('on'));
    const others = rules(await rendered('off')).filter((line) => !counting.includes(line));
    expect(others).toEqual([expect.stringMatching(/^ {4}http-error status 403 /)]);
    expect(counting).toContain(others[0]?.replace("</html>'", "</html>%[src_inc_gpc0(pm_denied),iif(,)]'"));
  });

  it('of denied requests alone counts nothing of other clients', async () => {
    const [on, denied] = [rules(await rendered('on')), rules(await rendered('denied'))];
    const clientLines = on.filter((line) => !denied.includes(line)).map((line) => line.trim());
    expect(clientLines).toEqual([
      'http-request track-sc1 src,ipmask(32,64) table pm_clients if { rand(16) 0 } !{ src -m beg 32.2. }',
      'http-request track-sc1 src table pm_clients if { rand(16) 0 } { src -m beg 32.2. }',
      'backend pm_clients',
      'stick-table type ipv6 size 100k expire 1h store http_req_cnt,http_req_rate(1m),http_err_cnt',
    ]);
  });

  it('samples sites right before the rule that denies, with its condition, and clients right behind it', async () => {
    const lines = rules(await rendered('on')).map((line) => line.trim());
    const [at = 0] = findBlockedRule(lines.join('\n'), complete).lines;
    const condition = lines[at - 1]?.replace('http-request deny deny_status 403 if ', '');
    for (const sample of lines.slice(at - 3, at - 1))
      expect(sample).toContain(` table pm_sites if { rand(16) 0 } ${condition} `);
    expect(lines[at]).toContain(' table pm_clients if { rand(16) 0 }');
  });

  it('samples wildcards only if a site has one', async () => {
    const sampling = (text: string) => text.match(/ table pm_sites if /g)?.length;
    expect(sampling(await rendered('on'))).toBe(2);
    expect(sampling(await rendered('on', { sites: [] }))).toBe(1);
  });

  it.each([
    ['/var/run/proxy.sock', '/var/run/proxy-peers.sock'],
    ['/run/stats', '/run/stats-peers.sock'],
    [`/${'a'.repeat(85)}`, `/${'a'.repeat(85)}-peers.sock`],
    [`/${'a'.repeat(86)}`, null],
  ])('with the stats socket %s hands counts over through %s', async (statsSocket, peers) => {
    const text = await rendered('on', { statsSocket });
    expect(/peer pm unix@(\S+)/.exec(text)?.[1] ?? null).toBe(peers);
    expect(text.includes('peers pm')).toBe(peers !== null);
    expect(text.includes('localpeer')).toBe(peers !== null);
  });
});
