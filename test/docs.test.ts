// Every name in the documentation exists, everything that exists is documented, and its commands are executed.
import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { PassThrough } from 'node:stream';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operations as declared } from '../src/api/operations.ts';
import { CommandLine } from '../src/cli/command-line.ts';
import { buildProgram } from '../src/cli/program.ts';
import { everyVerb, type TreeVerb, treeOf } from '../src/cli/tree.ts';
import { startingTemplate } from '../src/configuration/template/starting-template.ts';
import { catalogue } from '../src/errors/catalogue.ts';
import { eventTypes } from '../src/events/event-types.ts';
import { readSettings, settingDefinitions } from '../src/settings.ts';
import { compileCache, program } from '../testkit/program.ts';
import { testProxies } from '../testkit/proxies.ts';
import { RealService } from '../testkit/real-service.ts';

const root = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const run = promisify(execFile);

const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }),
]
  .filter((path) => path.endsWith('.md'))
  .map((path) => (existsSync(join(root, path)) ? path : join('docs', path)));
const guide = read('docs/operators-guide.md');

/** The example changes of CONTRIBUTING.md name things that do not exist. */
const withoutDiffs = (text: string) => text.replaceAll(/^```diff\n[\s\S]*?^```$/gm, '');
const withoutBlocks = (text: string) => text.replaceAll(/^ *```[\s\S]*?^ *```$/gm, '');
const withoutCode = (text: string) => withoutBlocks(text).replaceAll(/`[^`\n]*`/g, '``');

/** As GitHub derives them from headings. */
function anchorsOf(text: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of withoutBlocks(text).matchAll(/^#+ (.*)$/gm)) {
    anchors.add(
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    );
  }
  return anchors;
}

interface Block {
  readonly page: string;
  readonly line: number;
  readonly text: string;
}

function blocksOf(page: string, language: string): Block[] {
  const text = read(page);
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map((match) => ({
    page,
    line: text.slice(0, match.index).split('\n').length + 1,
    text: match[1]!,
  }));
}

const shell = pages.flatMap((page) => blocksOf(page, 'sh'));

const noSystemd = spawnSync('systemd-analyze', ['--version']).status === 0 ? null : 'needs systemd-analyze';

describe('the example changes of CONTRIBUTING.md', () => {
  it('change lines that exist, so that they can be applied', () => {
    const stale: string[] = [];
    const added = new Map<string, string[]>();
    for (const { text } of blocksOf('CONTRIBUTING.md', 'diff')) {
      let file = '';
      for (const line of text.split('\n').filter((line) => line !== '')) {
        const code = line.slice(1).trim();
        const here = added.get(file) ?? [];
        if (/^ [\w/-]+\.tsx?$/.test(line)) file = code;
        else if (line.startsWith('+')) added.set(file, [...here, code]);
        else if (
          ![
            ...read(file)
              .split('\n')
              .map((own) => own.trim()),
            ...here,
          ].includes(code)
        )
          stale.push(`${file}: ${code}`);
      }
    }
    expect(added.size).toBeGreaterThan(10);
    expect(stale).toEqual([]);
  });
});

describe('the unit', () => {
  const unit = read('packaging/proxy-manager.service');

  it('counts as started when the API answers, and restarts without a limit', () => {
    const [head = '', service = ''] = unit.split('[Service]');
    expect(head).toMatch(/^StartLimitIntervalSec=0$/m);
    for (const line of ['Type=notify', 'NotifyAccess=all', 'TimeoutStartSec=infinity', 'Restart=always']) {
      expect(service.split('\n')).toContain(line);
    }
  });

  it('serves TLS at port 443 beside plain HTTP, and an empty value in its file switches it off', () => {
    const lines = [...unit.matchAll(/^Environment=([^=]+)=(.*)$/gm)];
    const environment = Object.fromEntries(lines.map(([, name = '', value]) => [name, value]));
    const settings = (file: Readonly<Record<string, string>>) =>
      readSettings({ ...environment, ...file }, {}, () => '');
    expect(settings({})).toMatchObject({ httpBind: ['any:80'], httpsBind: ['any:443'] });
    expect(settings({ PROXY_MANAGER_HTTPS_BIND: '' }).httpsBind).toEqual([]);
    expect(unit).toMatch(/^EnvironmentFile=-\/etc\/default\/proxy-manager$/m);
    // HAProxy runs as this user too.
    expect(unit).toMatch(/^AmbientCapabilities=CAP_NET_BIND_SERVICE$/m);
  });

  it.skipIf(noSystemd !== null)(`is accepted by systemd without a warning (${noSystemd ?? 'systemd-analyze'})`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'unit-'));
    const path = join(folder, 'proxy-manager.service');
    writeFileSync(path, unit.replace('/opt/proxy-manager/bin/proxy-manager', '/bin/true'));
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', path], { encoding: 'utf8' });
    rmSync(folder, { recursive: true });
    expect({ status, lines: stderr.split('\n').filter((line) => line.includes('proxy-manager')) }).toEqual({
      status: 0,
      lines: [],
    });
  });
});

describe('the documents', () => {
  it('link to files and headings that exist', () => {
    const broken: string[] = [];
    for (const page of pages) {
      for (const [, target = ''] of withoutCode(read(page)).matchAll(/\]\(([^)\s]+)\)/g)) {
        if (/^[a-z]+:/.test(target)) continue;
        const [file = '', anchor] = target.split('#');
        const path = file === '' ? page : relative(root, join(root, dirname(page), file));
        if (!existsSync(join(root, path))) broken.push(`${page}: ${target}`);
        else if (anchor !== undefined && !anchorsOf(read(path)).has(anchor)) broken.push(`${page}: ${target}`);
      }
    }
    expect(broken).toEqual([]);
  });

  it('name source files that exist', () => {
    const lost = pages.flatMap((page) => {
      const named = withoutDiffs(read(page)).matchAll(
        /`((?:src|panel|test|testkit|chaos|bench|scripts|packaging)\/[\w./-]+\.\w+)`/g,
      );
      return [...named].filter(([, path = '']) => !existsSync(join(root, path))).map(([, path]) => `${page}: ${path}`);
    });
    expect(lost).toEqual([]);
  });

  it('cite only tests that exist', () => {
    const cited = pages
      .filter((page) => page !== 'CONTRIBUTING.md' && page !== 'docs/reliability.md')
      .flatMap((page) =>
        [...read(page).matchAll(/`((?:src|test|testkit|panel|packaging|scripts)\/[^`\s*]+\.\w+)`/g)].map(
          ([, file = '']) => ({ page, file }),
        ),
      );
    expect(cited.length).toBeGreaterThan(50);
    expect(cited.filter(({ file }) => !existsSync(join(root, file)))).toEqual([]);
  });

  it('are all linked from the README, directly or indirectly', () => {
    const reached = new Set<string>();
    const walk = (page: string): void => {
      if (reached.has(page)) return;
      reached.add(page);
      for (const [, target = ''] of withoutCode(read(page)).matchAll(/\]\(([^)\s#]+\.md)[^)]*\)/g)) {
        if (/^[a-z]+:/.test(target)) continue;
        const next = relative(root, join(root, dirname(page), target));
        if (existsSync(join(root, next))) walk(next);
      }
    };
    walk('README.md');
    expect(pages.filter((page) => !reached.has(page))).toEqual([]);
  });

  it('explain exactly the settings that exist, with their defaults', () => {
    const settings = read('docs/settings.md');
    const rows = [...settings.matchAll(/^\| (`PROXY_MANAGER_.*?) \| (.*?) \|/gm)];
    const named = rows.flatMap(([, names = '']) => [...names.matchAll(/PROXY_MANAGER_\w+/g)].map(([name]) => name));
    expect(named.sort()).toEqual(settingDefinitions.map(({ variable }) => variable).sort());
    for (const [, names = '', fallback = ''] of rows) {
      const known = settingDefinitions.find(({ variable }) => names.includes(`\`${variable}\``))!;
      if (known.fallback !== '') expect(`${names} ${fallback}`).toBe(`${names} \`${known.fallback}\``);
    }
  });

  it('name no setting that does not exist', () => {
    const others = /^PROXY_MANAGER_(URL|NODE|CRASH_AT|TEST_\w+)$/;
    const known = new Set(settingDefinitions.map(({ variable }) => variable));
    const wrong = pages.flatMap((page) =>
      [...withoutDiffs(read(page)).matchAll(/PROXY_MANAGER_[A-Z_]*[A-Z]/g)]
        .map(([name]) => name)
        .filter((name) => !known.has(name) && !others.test(name))
        .filter((name) => ![...known].some((variable) => variable.startsWith(`${name}_`)))
        .map((name) => `${page}: ${name}`),
    );
    expect(wrong).toEqual([]);
  });

  it('name every event and every audit verb', () => {
    const [events, audit] = [read('docs/events.md'), read('docs/audit.md')];
    expect(eventTypes.filter((type) => !events.includes(`\`${type}\``))).toEqual([]);
    const operations = declared.flatMap(({ audit }) => audit ?? []);
    expect(operations.filter((operation) => !audit.includes(`\`${operation}\``))).toEqual([]);
  });

  it('explain exactly the error codes that exist, each with what to do', () => {
    const rows = [...read('docs/errors.md').matchAll(/^\| (\d+) \| (\d+) \| (\w+) \| (.*?) \| (.+?) \|$/gm)];
    expect(rows.map(([, code, status, kind, message]) => [code, status, kind, message].join(' '))).toEqual(
      [...catalogue].map(([code, { status, kind, message }]) => `${code} ${status} ${kind} ${message}`),
    );
    for (const [, code, , , , advice = ''] of rows) {
      expect({ code, advice }).toEqual({ code, advice: expect.stringMatching(/.{15}/) });
    }
  });
});

/** The fixed start of a reason such as `the master ${pid} is gone`, without explanation and quotes. */
function formOf(reason: string): RegExp {
  let still = reason
    .replaceAll(/\(\)/g, '')
    .replace(/[(;].*$/, '')
    .replace(/^\$\{[^}]*\}[: ]*/, '');
  while (/\$\{[^}]*\} ?s?$/.test(still.trim())) still = still.replace(/[,:]? ?\$\{[^}]*\} ?s?\s*$/, '');
  const pieces = still.trim().split(/\$\{[^}]*\}/);
  return new RegExp(pieces.map((piece) => piece.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.{1,40}'));
}

/** Sources of the reasons in `/health`. */
const reasonSources: readonly (readonly [file: string, pattern: RegExp])[] = [
  ['src/health/health.ts', /found\.add\('\w+', [`'](.*?)[`']\)/g],
  ['src/health/health.ts', /found\.(?:take|addNotChecked)\('\w+', '(.*?)'/g],
  ['src/health/timed-probe.ts', /`(not checked) \(/g],
  ['src/health/timed-probe.ts', /`(timed out after )\$/g],
  ['src/health/entry-counter.ts', /return `(it holds )\$/g],
  [
    'src/health/health.ts',
    /(?:\? null : |return \(await [^?]*\? null : |return )'(it differs from what was written|the file of[^']*)'/g,
  ],
  ['src/health/health.ts', /return \[`(proxy: )/g],
  ['src/health/proxy-problems.ts', /problems\.push\(`(.*?)`\)/g],
  [
    'src/configuration/reload/live-rule.ts',
    /return `\$\{configFile\} (has no rule for the blocked map, so no address is denied)/g,
  ],
  ['src/supervision/proxy-versions.ts', /lacking\.push\(`([^$]*)\$/g],
  ['src/haproxy/socket/master-socket-error.ts', /^ {2}'?[a-z-]+'?: '(.*)',$/gm],
  ['src/store/sqlite/sqlite-errors.ts', /\['SQLITE_\w+', '\w+', '(.*)'\]/g],
  ['src/store/sqlite/sqlite-errors.ts', /'other' as const, '(.*?)'/g],
  ['src/store/sqlite/file-guard.ts', /'(was [^']*)'/g],
  ['src/store/sqlite/file-guard.ts', /\} (cannot be checked)/g],
  ['src/store/instance-store.ts', /database (has lost its identity)/g],
  ['src/blocking/bulk/bulk-runner.ts', /return '(could not discard[^;]*?);/g],
  ['src/blocking/bulk/bulk-runner.ts', /markStale\('(.*?)'/g],
  ['src/blocking/write/durable-commit.ts', /markStale\('(.*?)'/g],
  ['src/blocking/write/map-file-keeper.ts', /\?\? '(not written yet)'/g],
  [
    'src/blocking/write/foreign-file-guard.ts',
    /(belongs to database|was written by a newer state of this database|a rewrite would drop more than half|another process deleted more than half)/g,
  ],
  ['src/blocking/compare/worker-registry.ts', /#state\(false, '(.*?)'/g],
  ['src/blocking/compare/worker-reconciler.ts', /markSuspect\(.*?'(.*?)', 'pending'\)/g],
  ['src/blocking/compare/worker-reconciler.ts', /reason \?\? '(.*?)'/g],
  ['src/blocking/compare/reconciler.ts', /markSuspect\(.*?`\$\{error\.reason\}: (.*?)`/g],
  ['src/blocking/write/runtime-changer.ts', /markSuspect\(.*?'(.*?)'\)/g],
  ['src/haproxy/maps/runtime-map-lookup.ts', /(?:return|\?) '(rejected|unknown reply|read-back \w+|wrong value)'/g],
  ['src/service/blocking-parts.ts', /markAllSuspect\('blocked', '(.*?)'/g],
  ['src/configuration/reload/reload-coordinator.ts', /this\.schedule\('(.*?)'\)/g],
  ['src/service/service.ts', /reloads\.schedule\('(.*?)'\)/g],
  ['src/service/managed-proxy.ts', /'(HAProxy accepts no configuration)/g],
  ['src/supervision/supervisor.ts', /(?:Error\(|reason: )[`'](HAProxy .*?|the master .*?|not checked yet)[`']/g],
  ['src/issuance/issuance-findings.ts', /(is not renewed|due, and not ordered|the clock of this machine)/g],
  ['src/tls/certificate-health.ts', /(expired at)/g],
  ['src/supervision/supervisor.ts', /AddressTaken\(`([^$]*)\$/g],
];

describe('the operator’s guide', () => {
  it('says what to do for every reason that /health can report', () => {
    const forgotten: string[] = [];
    for (const [file, pattern] of reasonSources) {
      const found = [...read(file).matchAll(pattern)].map(([, reason = '']) => reason);
      // An empty result: the source has changed its form, and this test must follow.
      expect({ file, pattern, found: found.length > 0 }).toEqual({ file, pattern, found: true });
      for (const reason of found) {
        // Health ends with the service.
        if (/the service stops/.test(reason)) continue;
        if (!formOf(reason).test(guide)) forgotten.push(`${file}: ${reason}`);
      }
    }
    expect(forgotten).toEqual([]);
  });

  it('knows every way in which `found.add` is called', () => {
    const calls = read('src/health/health.ts').match(/found\.add\(/g)!.length;
    // These are made elsewhere, and tested there.
    const made = [...read('src/health/health.ts').matchAll(/found\.add\('\w+', (`|')/g)].length;
    expect(calls - made).toBe(3);
  });
});

describe('the command line in the documents', () => {
  let verbs: readonly TreeVerb[];

  beforeAll(async () => {
    const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
    const host = { environment: {}, homeFolder: null, ...streams, now: () => new Date(), end: () => undefined };
    verbs = [...everyVerb(treeOf(await buildProgram(new CommandLine(host), null)))];
  });

  /** Words after `proxy-manager`, in shell blocks and in text. */
  function uses(): { page: string; words: string[] }[] {
    const lines = shell.flatMap(({ page, text }) => text.split('\n').map((line) => ({ page, line })));
    const spans = pages.flatMap((page) =>
      [...withoutBlocks(read(page)).matchAll(/`((?:bin\/)?proxy-manager [^`]+)`/g)].map(([, line = '']) => ({
        page,
        line,
      })),
    );
    return [...lines, ...spans].flatMap(({ page, line }) =>
      [...line.replace(/\s#.*$/, '').matchAll(/(?:^|[|&;(])\s*(?:bin\/)?proxy-manager ([a-z-][^|&;)>]*)/g)].map(
        ([, use = '']) => ({
          page,
          words: use
            .replaceAll(/"[^"]*"/g, 'TEXT')
            .trim()
            .split(/\s+/),
        }),
      ),
    );
  }

  it('uses only verbs and options that exist', () => {
    const found = uses();
    expect(found.length).toBeGreaterThan(60);
    const wrong: string[] = [];
    for (const { page, words } of found) {
      const usage = `${page}: proxy-manager ${words.join(' ')}`;
      const verb = verbs
        .filter((known) => known.words.every((word, at) => word === words[at]))
        .reduce((longest, known) => (known.words.length > longest.words.length ? known : longest));
      const next = words[verb.words.length] ?? '';
      if (verb.words.length === 0 && !next.startsWith('-')) wrong.push(usage);
      else if (verb.verbs.length > 0 && verb.words.length > 0 && /^[a-z]+$/.test(next)) wrong.push(usage);
      for (const option of words.filter((word) => /^--?[a-z]/.test(word))) {
        const [name = ''] = option.split('=');
        if (name !== '--help' && !verb.options.some(({ names }) => names.includes(name)))
          wrong.push(`${usage}: ${name}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('names every verb', () => {
    const usage = pages.map(read).join('\n');
    const all = verbs.filter(({ words }) => words.length > 0).map(({ words }) => words.join(' '));
    expect(all.length).toBeGreaterThan(20);
    expect(all.filter((verb) => !usage.includes(`proxy-manager ${verb}`))).toEqual([]);
  });
});

describe('the commands to paste', () => {
  let proxyManager: string;
  let service: RealService;
  let folder: string;
  const { found } = testProxies();

  const environment = () => ({
    PATH: process.env['PATH'] ?? '/usr/bin:/bin',
    HOME: folder,
    NODE_COMPILE_CACHE: compileCache(),
    PROXY_MANAGER_URL: `http://127.0.0.1:${service.apiPort}`,
    PROXY_MANAGER_API_KEY: service.key,
  });

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'docs-'));
    proxyManager = join(root, 'bin/proxy-manager');
    service = await RealService.start({ bin: found[0]!.bin });
  });

  afterAll(async () => {
    await service.stop();
    rmSync(folder, { recursive: true });
  });

  it('are valid shell', async () => {
    expect(shell.length).toBeGreaterThan(20);
    for (const { page, line, text } of shell) {
      const problem = await run('sh', ['-n', '-c', text]).then(
        () => null,
        (error: { stderr: string }) => error.stderr,
      );
      expect({ page, line, problem }).toEqual({ page, line, problem: null });
    }
  });

  it('work for the first site, block, key and list', async () => {
    const quick = blocksOf('docs/quick-start.md', 'sh')
      .map(({ text }) => text)
      .join('\n');
    const lists = blocksOf('docs/operators-guide.md', 'sh')
      .map(({ text }) => text)
      .join('\n');
    const wanted =
      /^proxy-manager (site set|site ls|block 192|check|unblock 192|trust add|key create|key ls|list$|list )/;
    const lines = [
      ...quick.split('\n'),
      ...lists.split('\n').filter((line) => /export|import list|import abuse/.test(line)),
    ]
      .map((line) => line.replace(/\s+#.*$/, '').replaceAll('$', '\\$'))
      .filter((line) => wanted.test(line) || /^proxy-manager (export|import list.txt|import abuse)/.test(line));
    expect(lines.length).toBeGreaterThan(10);
    const script = `
      set -e
      cd ${folder}
      proxy-manager() { ${program()} "$@"; }
      printf '192.0.2.10\\n# a comment\\n192.0.2.11 ; another\\n' > list.txt
      printf 'ip_address,reason,expires_at\\n192.0.2.12,scan,\\n' > abuse.csv
      ${lines.map((line) => `echo "\\$ ${line.replaceAll('"', '')}"\n${line}`).join('\n')}
    `
      .replaceAll('proxy-manager()', 'proxy_manager()')
      .replaceAll(/^\s*proxy-manager /gm, 'proxy_manager ');
    const { stdout } = await run('sh', ['-c', script], { env: environment() });
    expect(stdout).toContain('shop.example.com is live');
    expect(stdout).toContain('192.0.2.7 is blocked until');
    expect(stdout).toContain('verified in every worker');
    expect(stdout).toContain('2 added');
    expect(readFileSync(join(folder, 'blocked.csv'), 'utf8')).toContain(
      'ip_address,reason,expires_at,blocked_by,blocked_at,source',
    );
  });

  it('write a starting template', async () => {
    const line = blocksOf('docs/operators-guide.md', 'sh')
      .flatMap(({ text }) => text.split('\n'))
      .find((text) => text.includes('config template'))!
      .replace('proxy-manager', proxyManager)
      .replace('/etc/proxy/template.liquid', join(folder, 'template.liquid'));
    await run('sh', ['-c', line], { cwd: folder, env: environment() });
    expect(readFileSync(join(folder, 'template.liquid'), 'utf8')).toBe(startingTemplate());
  });

  it('create files with a key or the database for their owner only', () => {
    const lines = shell
      .flatMap(({ text }) => text.split('\n'))
      .filter((line) => /\btar c|key create .*[>|] /.test(line));
    expect(lines.length).toBeGreaterThan(3);
    expect(lines.filter((line) => !line.includes('umask 077'))).toEqual([]);
  });

  it('install files that exist', () => {
    const named = shell.flatMap(({ text }) => [...text.matchAll(/packaging\/[\w.-]+/g)].map(([path]) => path));
    expect(named.length).toBeGreaterThan(3);
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });
});
