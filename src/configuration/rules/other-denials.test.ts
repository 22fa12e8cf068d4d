import { describe, expect, test } from 'vitest';
import { acceptedRule } from './blocked-rule.ts';
import { otherDenialWarnings } from './other-denials.ts';

const blocked = '/e/blocked.map';
const trusted = '/e/trusted.map';
const look = `src,map_ip(${blocked},0) -m int gt 0`;

describe('rules that deny other requests', () => {
  const counting = 'backend pm_denied\nstick-table type ipv6 size 100k expire 1d store gpc0,gpc0_rate(1m)\n';
  const front = `frontend f\nmode http\nbind :80\n${acceptedRule(blocked, trusted)}\n`;
  const back = 'backend b\nmode http\n';
  const rest = ': HAProxy counts them as denied, and no entry covers them (“not attributed”, docs/insight.md)';
  const warnings = (text: string) => otherDenialWarnings(text, { blockedMap: blocked, trustedMap: trusted });

  test('are named in a warning if denied requests are counted', () => {
    const rules =
      'http-request deny deny_status 429 if { sc0_http_req_rate gt 9 }\nhttp-request tarpit if { path /x }\n';
    const text = `${front}${rules}${back}http-request deny if { path /wp-login.php }\n${counting}`;
    expect(warnings(text)).toEqual([
      `other requests are denied in line 5 (frontend f), line 6 (frontend f), line 9 (backend b)${rest}`,
    ]);
    expect(warnings(text.replace(counting, ''))).toEqual([]);
  });

  test('are named once, and five of them', () => {
    const shared = 'defaults\nmode http\nhttp-request deny if { path /x }\n';
    const backends = Array.from({ length: 9 }, (_, n) => `backend b${n}\nhttp-request deny if { path /y }\n`).join('');
    const [warning, ...more] = warnings(`${shared}${front}${backends}${counting}`);
    expect(more).toEqual([]);
    expect(warning!.match(/line \d+ /g)).toHaveLength(5);
    expect(warning).toContain(` and 5 more${rest}`);
    expect(warning).toContain('line 3 (frontend f)');
  });

  test.each([
    [`http-request deny if { ${look} } { path /x }`],
    ['http-request return status 403'],
    ['http-request deny if "$X"'],
    ['tcp-request connection reject if { src 192.0.2.1 }'],
    ['http-response deny if { status 500 }'],
  ])('are not: %s', (rule) => {
    expect(warnings(`${front}${rule}\n${counting}`)).toEqual([]);
  });
});
