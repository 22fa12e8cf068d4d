import { describe, expect, it } from 'vitest';
import { frontEndsOf } from '../configuration/rules/front-ends.ts';
import { ruleLines } from './texts.ts';
import { WaitingReport } from './waiting-report.ts';

const maps = { blockedMap: '/etc/proxy/blocked_ips.map', trustedMap: '/etc/proxy/trusted_ips.map' };
const [acl = '', deny = ''] = ruleLines('http', maps);
const tcpRule = ruleLines('tcp', maps);

const facts = (...sections: readonly (readonly string[])[]) => {
  const text = sections.flatMap(([head = '', ...lines]) => [head, '  bind :80', ...lines]).join('\n');
  const texts = [{ path: '/h.cfg', text }];
  return { texts, frontEnds: frontEndsOf(texts, maps) };
};
const web = ['frontend web', '  mode http'];
const mail = ['listen mail', '  mode tcp'];

describe('WaitingReport', () => {
  it('says which front ends are still missing, and how to leave one open', () => {
    const report = new WaitingReport(maps, ['stats']);
    const [api, stats] = [
      ['frontend api', '  mode http'],
      ['listen stats', '  mode http'],
    ];
    expect(report.next(facts(web, api, mail, stats))).toEqual([]);
    expect(report.next(facts([...web, acl, deny], api, mail, stats))).toEqual([
      'web has the rule',
      'Still missing: api, mail. To leave one open: Ctrl-C, then proxy-manager attach --open stats,NAME',
    ]);
    expect(report.next(facts([...web, acl, deny], [...api, acl, deny], mail, stats))).toEqual([
      'api has the rule',
      'Still missing: mail. To leave it open: Ctrl-C, then proxy-manager attach --open stats,mail',
    ]);
    expect(report.next(facts([...web, acl, deny], [...api, acl, deny], [...mail, ...tcpRule], stats))).toEqual([
      'mail has the rule',
    ]);
  });

  it('says what may answer before the rule', () => {
    const report = new WaitingReport(maps, []);
    report.next(facts(web));
    expect(report.next(facts([...web, '  http-request allow if { path /a }', acl, deny]))).toEqual([
      'web has the rule, but /h.cfg:4 may answer before it',
    ]);
  });

  it.each([
    [
      'the lines for http in mode tcp',
      [...mail, acl, deny],
      'mail: /h.cfg:5 names the list, but http-request has no effect in mode tcp: replace it by the tcp-request line above',
    ],
    ['only the second line', [...web, deny], 'web: /h.cfg:4 uses proxy_manager_blocked, but the acl line is missing'],
    ['only the first line', [...web, acl], 'web: /h.cfg:4 names the list, but the second line is missing'],
  ])('says once what is wrong with %s', (_name, section, says) => {
    const report = new WaitingReport(maps, []);
    expect(report.next(facts(section))).toEqual([says]);
    expect(report.next(facts(section))).toEqual([]);
  });

  it('says that a front end was removed', () => {
    const report = new WaitingReport(maps, []);
    report.next(facts(web, mail));
    expect(report.next(facts([...mail, ...tcpRule]))).toEqual(['web is gone', 'mail has the rule']);
  });
});
