import { describe, expect, it, vi } from 'vitest';
import type { AuditRecord } from '../../api/audit.ts';
import type { BlockAnswer, UnblockAnswer } from '../../api/blocked-ips.ts';
import type { SyncAnswer } from '../../api/blocked-ips-bulk.ts';
import type { CheckAnswer } from '../../api/check.ts';
import type { Health } from '../../api/health.ts';
import type { Webhook } from '../../api/webhooks.ts';
import { unusedTrustedMap } from '../../domain/trust-effect.ts';
import { expiryOf, futureTimeOf } from '../expiry-options.ts';
import { unpainted } from '../output/colour.ts';
import { displayWidth, plainLine } from '../output/table.ts';
import { runtimeLines } from '../runtime-text.ts';
import { auditColumns } from './audit.ts';
import { blockLines } from './block.ts';
import { checkLine } from './check.ts';
import { validationLines } from './config.ts';
import { parseSiteServer, siteServerText } from './site.ts';
import { statusLines, whatToDo } from './status.ts';
import { syncLines } from './sync.ts';
import { unblockLines } from './unblock.ts';
import { webhookColumns } from './webhook.ts';

const now = new Date('2026-11-21T20:00:00Z');

const report = {
  runtime_map_updated: true,
  runtime_map_failures: [],
  runtime_map_failures_total: 0,
  reload_scheduled: false,
};
const missed = {
  runtime_map_updated: false,
  runtime_map_failures: [
    {
      ip_address: '192.0.2.1',
      worker: 7,
      command: 'add map',
      responses: ['No such\u001b[2J map.\n'],
      reason: 'rejected',
    },
    { ip_address: '192.0.2.1', worker: null, command: '', responses: [], reason: 'deadline' },
  ],
  runtime_map_failures_total: 9,
  reload_scheduled: true,
};

describe('check', () => {
  const answer = (more: Partial<CheckAnswer>): CheckAnswer => ({
    ip_address: '192.0.2.1',
    verdict: 'allowed',
    by: null,
    reason: null,
    expires_at: null,
    enforced: true,
    blocked_inside: [],
    blocked_inside_total: 0,
    workers: [],
    ...more,
  });
  it.each([
    [
      {
        ip_address: '192.0.2.0/24',
        verdict: 'partly',
        enforced: null,
        blocked_inside: ['192.0.2.7'],
        blocked_inside_total: 1,
      },
      '192.0.2.0/24: no entry covers all of it; 1 blocked entry inside: 192.0.2.7',
    ],
    [
      {
        ip_address: '192.0.0.0/16',
        verdict: 'partly',
        enforced: null,
        blocked_inside: Array.from({ length: 100 }, (_, n) => `192.0.2.${n}`),
        blocked_inside_total: 1_200,
      },
      '192.0.0.0/16: no entry covers all of it; 1,200 blocked entries inside: 192.0.2.0, 192.0.2.1, 192.0.2.2, 192.0.2.3, 192.0.2.4, 192.0.2.5, 192.0.2.6, 192.0.2.7, 192.0.2.8, 192.0.2.9 and 1,190 more',
    ],
    [{}, '192.0.2.1 is allowed: no entry covers it; verified in every worker'],
    [
      { verdict: 'blocked', by: '192.0.2.0/24', reason: 'ssh', expires_at: '2026-11-21T23:00:00Z' },
      '192.0.2.1 is blocked by 192.0.2.0/24 (ssh), until 2026-11-21 23:00 UTC (in 3 h); verified in every worker',
    ],
    [
      { verdict: 'blocked', by: '192.0.2.1' },
      '192.0.2.1 is blocked by its own entry, permanently; verified in every worker',
    ],
    [
      { verdict: 'trusted', by: '192.0.2.0/28', reason: 'office' },
      '192.0.2.1 is allowed: trusted by 192.0.2.0/28 (office), which overrides any block; verified in every worker',
    ],
    [
      { enforced: null },
      '192.0.2.1 is allowed: no entry covers it; not verified: no worker answered; see: proxy-manager status',
    ],
    [
      {
        verdict: 'blocked',
        by: '192.0.2.1',
        enforced: false,
        workers: [
          { pid: 7, verdict: 'allowed' },
          { pid: 8, verdict: 'blocked' },
        ],
      },
      '192.0.2.1 is blocked by its own entry, permanently; but worker 7 has it as allowed; the service repairs it, see: proxy-manager status',
    ],
    [
      { verdict: 'trusted', by: '192.0.2.1', reason: 'a customer', expires_at: '2026-11-22T00:00:00Z' },
      '192.0.2.1 is allowed: trusted by its own entry (a customer) until 2026-11-22 00:00 UTC (in 4 h), which overrides any block; verified in every worker',
    ],
  ] as [Partial<CheckAnswer>, string][])('prints for %j: %s', (more, line) => {
    expect(checkLine(answer(more), now)).toBe(line);
  });
});

describe('the output of a change', () => {
  const blocked = {
    ip_address: '192.0.2.1',
    reason: null,
    blocked_by: 'op',
    blocked_at: '',
    expires_at: null,
  } as const;

  it('says that the change was verified in every worker', () => {
    expect(blockLines({ ...blocked, ...report } as BlockAnswer, now)).toEqual([
      '192.0.2.1 is blocked permanently; verified in every worker',
    ]);
    expect(blockLines({ ...blocked, ...report, expires_at: '2026-11-22T00:00:00Z' } as BlockAnswer, now)).toEqual([
      '192.0.2.1 is blocked until 2026-11-22 00:00 UTC (in 4 h); verified in every worker',
    ]);
    expect(unblockLines({ ip_address: '192.0.2.1', still_blocked_by: [], ...report } as UnblockAnswer, now)).toEqual([
      '192.0.2.1 is unblocked; verified in every worker',
    ]);
  });

  it('names the workers that were not verified, their replies and the scheduled reload', () => {
    expect(blockLines({ ...blocked, ...missed } as BlockAnswer, now)).toEqual([
      '192.0.2.1 is blocked permanently',
      'not verified in the running HAProxy yet; a reload is scheduled',
      '  192.0.2.1, worker 7: rejected: "No such\\u001b[2J map."',
      '  192.0.2.1, no worker: deadline',
      '  and 7 more',
    ]);
  });

  it('says what to change if the configuration does not use the trusted map', () => {
    const failure = { ip_address: '192.0.2.1', worker: 7, command: 'add map', responses: [], reason: unusedTrustedMap };
    const lines = runtimeLines({ ...missed, runtime_map_failures: [failure], reload_scheduled: false });
    expect(lines).toEqual([unusedTrustedMap]);
  });

  it('names lists that still claim the address, and the trust that overrules them', () => {
    const claim = { source: 'drop', kind: 'list', reason: null, blocked_by: 'op', claimed_at: '', expires_at: null };
    const answer = { ip_address: '192.0.2.1', still_blocked_by: [], still_claimed_by: [claim], ...report };
    expect(unblockLines(answer as UnblockAnswer, now)).toEqual([
      '192.0.2.1 is still blocked; verified in every worker',
      'still claimed by drop permanently',
      'to allow it for a week: proxy-manager unblock 192.0.2.1 --trust-for 7d',
    ]);
    const trusted = { ip_address: '192.0.2.1', note: null, added_at: '', expires_at: '2026-11-22T00:00:00Z' };
    expect(unblockLines({ ...answer, trusted } as UnblockAnswer, now)).toEqual([
      '192.0.2.1 is trusted until 2026-11-22 00:00 UTC (in 4 h), which overrides any block; verified in every worker',
      'still claimed by drop permanently',
    ]);
    expect(blockLines({ ...blocked, ...report, trust_ended: ['192.0.2.1'] } as BlockAnswer, now)[1]).toBe(
      'this ended the temporary trust of 192.0.2.1',
    );
  });

  it('names the networks that still block, and trusted entries that limit the block', () => {
    expect(
      unblockLines({ ip_address: '192.0.2.1', still_blocked_by: ['192.0.2.0/24'], ...report } as UnblockAnswer, now),
    ).toEqual([
      'the entry 192.0.2.1 was removed; verified in every worker',
      '192.0.2.1 is still blocked by 192.0.2.0/24',
    ]);
    const trusted = { ...blocked, ...report, overridden_by: ['192.0.2.1'], trusted_inside: ['192.0.2.2'] };
    expect(blockLines(trusted as BlockAnswer, now).slice(1)).toEqual([
      'no effect while trusted by 192.0.2.1',
      'trusted addresses inside stay allowed: 192.0.2.2',
    ]);
  });
});

describe('sync', () => {
  const answer = (more: Partial<SyncAnswer>): SyncAnswer => ({
    runtime_map_synced: true,
    total_ips: 1234,
    added: 0,
    removed: 0,
    missing_ips: [],
    unexpected_ips: [],
    wrong_value_ips: [],
    duplicate_ips: [],
    draining_workers: [],
    map_file_updated: false,
    reload_scheduled: false,
    duration_ms: 3400,
    ...more,
  });
  it('says what was repaired and what is still out of sync', () => {
    expect(syncLines(answer({}))).toEqual(['in sync: the running HAProxy has 1,234 entries (3 s)']);
    expect(
      syncLines(
        answer({
          runtime_map_synced: false,
          reason: 'no answer',
          added: 2,
          missing_ips: Array.from({ length: 12 }, (_, index) => `192.0.2.${index}`),
          draining_workers: [{ pid: 9, synced: false, reason: 'hangs' }],
          reload_scheduled: true,
        }),
      ),
    ).toEqual([
      'not in sync: no answer (3 s)',
      'repaired: 2 missing, 0 unexpected',
      'still missing: 192.0.2.0, 192.0.2.1, 192.0.2.2, 192.0.2.3, 192.0.2.4, 192.0.2.5, 192.0.2.6, 192.0.2.7, 192.0.2.8, 192.0.2.9 and 2 more',
      'draining worker 9 is not in sync: hangs',
      'a reload is scheduled',
    ]);
  });
});

describe('status', () => {
  const health: Health = {
    status: 'ok',
    reasons: [],
    database: { status: 'ok', reason: null },
    master_socket: { status: 'ok', reason: null, since: null },
    workers: { current: { pid: 7, whole: true, reason: null }, draining: [] },
    map_file: { status: 'ok', reason: null, entries: 12 },
    runtime_map: { expected: 12, seen: 12, big_change: null, last_verified_at: '2026-11-21T19:59:55Z' },
    last_reload: null,
    attached: null,
    configuration_drift: { status: 'none', live: 'rendered', backup: null, added: 0, removed: 0, reason: null },
    trusted_map: { used: true, entries: 3 },
    scheduled_reload: null,
    notices: [],
    unbound_keys: [],
    versions: { service: '0.1.0', proxy: '3.0.11', untested: null },
  };

  it('prints a few lines if everything is ok', () => {
    expect(statusLines(health, 'unix:/a', now, unpainted)).toEqual([
      'proxy-manager 0.1.0 with HAProxy 3.0.11 at unix:/a',
      'ok: every worker enforces the blocked set',
      '',
      '  database       ok',
      '  master socket  ok',
      '  workers        pid 7 in sync; none draining',
      '  running map    12 entries, verified 5 s ago',
      '  map file       ok, 12 entries',
      '  last reload    none by the service since it started',
    ]);
  });

  it('names keys that should be bound to a source, and how', () => {
    const lines = statusLines({ ...health, unbound_keys: ['fail2ban', 'bot'] }, 'unix:/a', now, unpainted);
    expect(lines.slice(1, 2)).toEqual(['ok: every worker enforces the blocked set']);
    expect(lines.slice(-4)).toEqual([
      '  keys           2 keys are not bound to a source, so their unblocks drop the blocks of operators',
      '                 proxy-manager key bind fail2ban SOURCE',
      '                 proxy-manager key bind bot SOURCE',
      '                 SOURCE is a name such as fail2ban; manual: the key acts like an operator',
    ]);
    expect(statusLines({ ...health, unbound_keys: null }, 'unix:/a', now, unpainted).at(-1)).toMatch(/last reload/);
  });

  it.each([
    [
      'rendered',
      null,
      'a setting or the template changed; to apply it: proxy-manager reload (+2 -1 lines: proxy-manager config diff)',
    ],
    [
      'restored',
      'b1',
      'backup b1 is live and differs from sites and settings (+2 -1 lines: proxy-manager config diff)',
    ],
    [
      'other',
      null,
      'edited by hand, and differs from what a reload would write (+2 -1 lines: proxy-manager config diff)',
    ],
  ] as const)('reports drift of a %s live configuration', (live, backup, text) => {
    const drift = { status: 'drift', live, backup, added: 2, removed: 1, reason: null } as const;
    const lines = statusLines({ ...health, configuration_drift: drift }, 'unix:/a', now, unpainted);
    expect(lines).toContain(`  configuration  ${text}`);
  });

  it('reports that the configuration could not be compared, and that no rule uses the trusted map', () => {
    const drift = { ...health.configuration_drift!, status: 'unknown', live: null, reason: 'no template' } as const;
    const lines = statusLines(
      { ...health, configuration_drift: drift, trusted_map: { used: false, entries: 1 } },
      'unix:/a',
      now,
      unpainted,
    );
    expect(lines).toContain('  configuration  not compared: no template');
    expect(lines).toContain('  trusted map    not used by a rule, so 1 entry is denied if blocked');
  });

  it('names an untested version of HAProxy in one sentence', () => {
    const versions = { ...health.versions, untested: 'HAProxy 2.8.5 is not a tested version' };
    const lines = statusLines({ ...health, versions }, 'unix:/a', now, unpainted);
    expect(lines.slice(1, 3)).toEqual([versions.untested, 'ok: every worker enforces the blocked set']);
  });

  it('reports a bulk change in progress without a warning', () => {
    const map = { expected: 12, seen: 7, big_change: { added: 1500, removed: 3 }, last_verified_at: null };
    const lines = statusLines({ ...health, runtime_map: map }, 'unix:/a', now, (style, text) => `<${style}>${text}`);
    expect(lines).toContain(
      '  running map    7 of 12 entries, not verified yet, bulk change in progress (1,500 added, 3 removed so far)',
    );
  });

  it('lists each reason and hint once if degraded, and fits on a screen', () => {
    const reasons = [
      'master socket: nothing listens',
      'running map: it holds 3 entries instead of 12',
      'running map: worker 7 \u001b[31mhangs',
      'current worker 7: blocked map: not verified',
      'a reload is scheduled: a block was not seen',
      'draining worker 5: deadline',
      ...Array.from({ length: 20 }, (_, index) => `foreign listener ${index}`),
    ];
    const lines = statusLines(
      {
        ...health,
        status: 'degraded',
        reasons,
        master_socket: { status: 'down', reason: 'nothing listens', since: '2026-11-21T19:50:00Z' },
        runtime_map: { expected: 12, seen: 3, big_change: null, last_verified_at: null },
        scheduled_reload: { reasons: ['a block was not seen'], since: '2026-11-21T19:59:00Z', attempts: 1 },
      },
      'http://a:1',
      now,
      unpainted,
    );
    expect(lines.length).toBeLessThan(25);
    expect(lines).toContain('  master socket  down: nothing listens (since 10 min ago)');
    expect(lines).toContain('  running map    3 of 12 entries, not verified yet');
    expect(lines).toContain('  next reload    scheduled 60 s ago: a block was not seen');
    expect(lines).toContain('  - running map: worker 7 \\u{1b}[31mhangs');
    expect(lines.filter((line) => line.includes('to do so now: proxy-manager sync'))).toHaveLength(2);
    expect(lines.at(-1)).toBe('  and 20 more: proxy-manager status -o json');
    expect(Math.max(...lines.map(displayWidth))).toBeLessThan(120);
  });

  it.each([
    [['no worker of HAProxy is running'], 'ok', 'down: no site is served'],
    [['database: full'], 'down', 'down: sites are served and blocks are enforced, but nothing can be changed'],
    [
      ['database: full', 'no worker of HAProxy is running'],
      'down',
      'down: no site is served, and nothing can be changed',
    ],
  ] as const)('says whether sites are served if down: %j', (reasons, status, line) => {
    const database = { status, reason: null };
    expect(
      statusLines({ ...health, status: 'down', reasons: [...reasons], database }, 'unix:/a', now, unpainted)[1],
    ).toBe(line);
  });

  it('shows a part that could not be checked as unknown', () => {
    const why = 'not checked (timed out after 3.0 s; ok 4.1 s ago)';
    const lines = statusLines(
      {
        ...health,
        status: 'degraded',
        reasons: [`map file: ${why}`],
        map_file: { status: 'unknown', reason: why, entries: 12 },
      },
      'unix:/a',
      now,
      (style, text) => `<${style}>${text}`,
    );
    expect(lines).toContain(`<warning>  map file       unknown: ${why}, 12 entries`);
    expect(whatToDo(`map file: ${why}`)).toMatch(/busy/);
  });

  it('does not advise to start a HAProxy that the service restarts', () => {
    const lines = (reasons: string[]): string =>
      statusLines({ ...health, status: 'down', reasons }, 'unix:/a', now, (_style, text) => text).join('\n');
    expect(lines(['no worker of HAProxy is running'])).toContain('--supervise');
    const supervised = lines(['supervision: it ended', 'no worker of HAProxy is running']);
    expect(supervised).not.toContain('--supervise');
    expect(supervised).toContain('the service restarts it');
  });

  it.each(['database: disk full', 'map file: it differs from what was written', 'no worker of HAProxy is running'])(
    'has a hint for %j',
    (reason) => expect(whatToDo(reason)).not.toBeNull(),
  );
});

it.each([
  [`/x.sqlite was removed while it was in use, so nothing more is written: put the original file back`, /put back/],
  ['the database file is damaged (SQLITE_CORRUPT: malformed)', /restore a backup/],
  ['another process holds the lock of the database (SQLITE_BUSY: locked)', /other program/],
  ['no space is left for the database (SQLITE_FULL: full)', /full or read-only disk/],
])('the hint for an unusable database depends on the reason: %s', (why, hint) => {
  expect(whatToDo(`database: ${why}`)).toMatch(hint);
});

describe('a time on the command line', () => {
  it.each([
    [{ for: '4h' }, { seconds: 14_400 }],
    [{ until: '2030-01-31T12:00:00Z' }, { at: '2030-01-31T12:00:00.000Z' }],
    [{}, null],
  ])('%j is %j', (options, expiry) => {
    expect(expiryOf(options, now)).toEqual(expiry);
  });

  it.each([
    ['UTC', '2030-01-31T12:00:00.000Z', '2030-07-31T00:00:00.000Z'],
    ['America/St_Johns', '2030-01-31T15:30:00.000Z', '2030-07-31T02:30:00.000Z'],
    ['Asia/Kolkata', '2030-01-31T06:30:00.000Z', '2030-07-30T18:30:00.000Z'],
  ])('without a zone is local time, in %s', (zone, noon, day) => {
    vi.stubEnv('TZ', zone);
    expect(futureTimeOf('2030-01-31 12:00', '--until', now)).toBe(noon);
    expect(futureTimeOf('2030-07-31', '--until', now)).toBe(day);
    vi.unstubAllEnvs();
  });

  it.each([
    [{ for: '4 hours' }, '90s, 30m, 4h, 7d or 2w'],
    [{ until: '2020-01-01T00:00:00Z' }, "not in the future; this machine's time is 2026-11-21T20:00:00.000Z"],
    [{ until: '2030-02-30' }, 'a day that does not exist'],
    [{ until: 'tomorrow' }, 'use one such as 2030-01-31T12:00:00Z'],
    [{ for: '4h', until: '2030-01-01' }, 'cannot be combined'],
  ])('%j is a usage error', (options, why) => {
    expect(() => expiryOf(options, now)).toThrow(why);
  });
});

describe('a server of a site', () => {
  it.each([
    ['10.0.0.5:8080', { address: '10.0.0.5', port: 8080 }],
    ['[2001:db8::1]:80', { address: '2001:db8::1', port: 80 }],
    [
      'app.internal:443,weight=10,backup,check=false,ssl=verify',
      { address: 'app.internal', port: 443, options: { weight: 10, backup: true, check: false, ssl: 'verify' } },
    ],
  ])('%s is taken apart, and shown as it was typed', (text, server) => {
    expect(parseSiteServer(text)).toEqual(server);
    expect(siteServerText(server)).toBe(text);
  });

  it.each(['10.0.0.5', ':80', '2001:db8::1:80', 'a:b', 'a:80,', 'a:80,WEIGHT=1'])('%j is a usage error', (text) => {
    expect(() => parseSiteServer(text)).toThrow('write HOST:PORT');
  });
});

it('the audit in a pipe is a line of plain fields', () => {
  const row = {
    id: 812,
    at: '2026-11-21T20:00:00Z',
    operation: 'block',
    key: null,
    source: 'unix',
    ip_address: '192.0.2.1',
    target: null,
    details: { reason: 'a\tb', added: 2, removed: 1 },
    outcome: 'refused',
    code: 6007,
    result: { added: 2, removed: 0, none: null },
  } as unknown as AuditRecord;
  expect(plainLine(auditColumns(now), row)).toBe(
    '2026-11-21T20:00:00Z\tthe service\tunix\tblock\t192.0.2.1\trefused (6007)\treason=a\\u{9}b added=2 removed=1 removed=0\t812',
  );
  const ended = (...ip_addresses: string[]) =>
    plainLine(auditColumns(now), { ...row, ip_address: null, details: { ip_addresses }, result: null }).split('\t')[4];
  expect([ended('192.0.2.1'), ended('192.0.2.1', '192.0.2.2')]).toEqual(['192.0.2.1', '-']);
});

it.each([
  [{ valid: true, output: 'Warnings: none\n', sha256: 'ab' }, ['valid: a reload would succeed', 'Warnings: none']],
  [
    { valid: false, output: 't.liquid: line 3: no such filter', sha256: '' },
    ['invalid: a reload would be refused; nothing was changed', 't.liquid: line 3: no such filter'],
  ],
  [
    { valid: false, output: '[ALERT] parsing [proxy.cfg:28]\n', sha256: 'ab' },
    [
      'invalid: a reload would be refused; nothing was changed',
      '[ALERT] parsing [proxy.cfg:28]',
      'line numbers are those of the rendered configuration: proxy-manager config diff',
    ],
  ],
  [
    { valid: true, output: '', sha256: 'ab', warnings: ['frontend b has no rule'], needs_replace_configuration: true },
    [
      'valid, with 1 warning: a reload would succeed',
      'warning: frontend b has no rule',
      'the live configuration was edited by hand or restored: a reload replaces it only with --replace-configuration',
    ],
  ],
])('a dry run says whether a reload would succeed, and that nothing was changed: %j', (answer, lines) => {
  expect(validationLines({ warnings: [], needs_replace_configuration: false, ...answer })).toEqual(lines);
});

describe('a webhook in a pipe', () => {
  const hook = { id: 'chat', url: 'https://a/x', events: null, enabled: true, pending: 0 } as Webhook;
  const [early, late] = ['2026-11-21T19:00:00.000Z', '2026-11-21T19:30:00.000Z'];
  const failed = (at: string): Partial<Webhook> => ({ last_error: 'it answered\t500', last_error_at: at });
  it.each([
    [{}, `chat\tnew\t0\t-\thttps://a/x\tall\t-`],
    [
      { last_success_at: early, events: ['site.set', 'site.removed'] },
      `chat\tok\t0\t${early}\thttps://a/x\tsite.set,site.removed\t-`,
    ],
    [{ last_success_at: late, ...failed(early) }, `chat\tok\t0\t${late}\thttps://a/x\tall\t-`],
    [
      { last_success_at: early, ...failed(late), pending: 7 },
      `chat\tfailing\t7\t${early}\thttps://a/x\tall\tit answered\\u{9}500`,
    ],
    [{ last_success_at: null, ...failed(late), enabled: false }, `chat\toff\t0\t-\thttps://a/x\tall\t-`],
  ] as [Partial<Webhook>, string][])('is one line with its state: %j', (more, line) => {
    const times = { last_success_at: null, last_error: null, last_error_at: null };
    expect(plainLine(webhookColumns(now), { ...hook, ...times, ...more })).toBe(line);
  });
});
