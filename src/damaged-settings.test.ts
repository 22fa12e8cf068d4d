// Hostile and damaged settings, durations, cursors and configurations: accepted values are plain, others are refused by
// name.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sampleInput, sampleSites } from '../testkit/configuration/template-samples.ts';
import { damaged } from '../testkit/damage.ts';
import { hostileTexts } from '../testkit/hostile-values.ts';
import { caseCount } from '../testkit/proxies.ts';
import { bindAddresses } from './configuration/reload/listeners.ts';
import { findBlockedRule } from './configuration/rules/blocked-rule.ts';
import { configLines } from './configuration/rules/config-lines.ts';
import { frontEndsOf } from './configuration/rules/front-ends.ts';
import { builtInTemplate } from './configuration/template/builtin-template.ts';
import { renderConfiguration } from './configuration/template/render.ts';
import { parseDuration } from './domain/duration.ts';
import { parseDomain, parseServerAddress, parseServerOptions } from './domain/site.ts';
import { ServiceError } from './errors/service-error.ts';
import { describeReloadBy, parseListen, readSettings, SettingsError, settingDefinitions } from './settings.ts';
import { decodeCursor, encodeCursor } from './store/blocked-pages.ts';
import { InvalidCursor } from './store/store-error.ts';

const noFile = (): string => {
  throw new Error('ENOENT');
};

const samples: Readonly<Record<string, string>> = {
  LISTEN: '127.0.0.1:7080',
  HTTP_BIND: 'any:81,:80,[::]:80,127.0.0.1:8080',
  HTTPS_BIND: 'any:444,:443,[::]:443,127.0.0.1:8443',
  HTTPS_PUBLIC_PORT: '443',
  HARD_STOP_AFTER: '30m',
  CONNECTIONS_PER_SOURCE: '100',
  ACCESS_LOG: '127.0.0.1:514',
  API_KEY: 'k'.repeat(40),
  DATABASE_URL: 'sqlite:/var/lib/proxy-manager/proxy-manager.sqlite',
  INSIGHT: 'denied',
  SUPERVISE: 'true',
  ATTACHED: 'true',
  RELOAD_BY: 'systemd:haproxy.service',
  OPEN_FRONT_ENDS: 'stats,internal-1',
  ACME_DIRECTORY: 'https://ca.example.internal/acme/directory',
  ACME_CONTACT: 'ops@example.com,security@example.org',
  ACME_PROFILE: 'shortlived',
  ACME_DNS_SERVERS: '192.0.2.53,[2001:db8::53]:5353',
};
const attachedOnly: ReadonlySet<string> = new Set(['RELOAD_BY', 'OPEN_FRONT_ENDS']);

/** A hostile text, a damaged valid one, or anything. */
const givenFor = (name: string) =>
  fc.oneof(
    fc.constantFrom(...hostileTexts),
    damaged(Buffer.from(samples[name] ?? '/etc/proxy/some.file')).map((bytes) => bytes.toString()),
    damaged(Buffer.from('unix:/run/proxy-manager.sock')).map((bytes) => bytes.toString()),
  );

describe.each(settingDefinitions.map(({ variable, flag }) => [variable, flag] as const))('%s', (variable, flag) => {
  test('takes plain values only, as a variable and as a flag, and refuses by its name', () => {
    const name = variable.slice('PROXY_MANAGER_'.length);
    fc.assert(
      fc.property(givenFor(name), fc.boolean(), (value, asFlag) => {
        const byFlag = asFlag && flag !== null;
        try {
          const mode = attachedOnly.has(name) ? { PROXY_MANAGER_ATTACHED: 'true' } : {};
          const given = byFlag ? mode : { ...mode, [variable]: value };
          const settings = readSettings(given, byFlag ? { [flag]: value } : {}, noFile);
          const { listen, apiKey, proxyBin, databaseUrl, httpBind, httpsBind, accessLog, reloadBy, ...others } =
            settings;
          const { openFrontEnds, acme, ...rest } = others;
          const { directory, contacts, externalAccount, dnsServers, ...ofAcme } = acme;
          for (const server of dnsServers) expect(server).toMatch(/^[0-9a-fA-F:.[\]]+$/);
          for (const one of Object.values({ ...ofAcme, ...externalAccount, kid: '' }))
            expect(String(one ?? '')).toMatch(/^[A-Za-z0-9._/+@=-]*$/);
          expect(`${directory}${contacts.join(',')}${externalAccount?.kid ?? ''}`).toMatch(/^[!-~]*$/);
          expect(describeReloadBy(reloadBy)).toMatch(/^(master|never|systemd:[A-Za-z0-9:_.@\\][A-Za-z0-9:_.@\\-]*)$/);
          for (const frontEnd of openFrontEnds) expect(frontEnd).toMatch(/^[A-Za-z0-9_.:-]+$/);
          for (const bind of [...httpBind, ...httpsBind])
            expect(bind).toMatch(/^(any|\*|[0-9.]+|\[[0-9a-fA-F:.]+\])?:\d{1,5}$/);
          expect(accessLog).toMatch(/^(auto|off|([0-9.]+|\[[0-9a-fA-F:.]+\]):\d{1,5}|\/[A-Za-z0-9._/+@=-]*)$/);
          for (const one of Object.values(rest)) expect(String(one ?? '')).toMatch(/^[A-Za-z0-9._/+@=-]*$/);
          if (apiKey !== null) expect(apiKey).toMatch(/^[A-Za-z0-9\-._~+/=]{16,520}$/);
          expect(`${databaseUrl}${listen.text}${proxyBin}`).toMatch(/^\P{Cc}*$/u);
        } catch (error) {
          expect(error).toBeInstanceOf(SettingsError);
          // One that names another's file is refused by either name.
          expect((error as SettingsError).message).toContain('PROXY_MANAGER_');
          expect((error as SettingsError).message).toMatch(/^[^\p{Cc}\u2028]*$/u);
          if (variable.endsWith('API_KEY') && value.length > 3)
            expect((error as SettingsError).message).not.toContain(value);
        }
      }),
      { numRuns: caseCount(300) },
    );
  });
});

test('an address to listen on is read back as it was written', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.ipV4(),
        fc.ipV6().map((six) => `[${six}]`),
      ),
      fc.nat(65_535),
      (host, port) => {
        expect(parseListen(`${host}:${port}`)).toEqual({
          text: `${host}:${port}`,
          target: { host: host.replace(/^\[|\]$/g, ''), port },
        });
      },
    ),
  );
});

test('any text is a duration of its stated length, or refused', () => {
  const units: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };
  fc.assert(
    fc.property(
      fc.oneof(damaged(Buffer.from('36525d')).map(String), fc.constantFrom(...hostileTexts), fc.string()),
      (given) => {
        const parsed = parseDuration(given);
        if (!parsed.ok) {
          expect(parsed.why).toMatch(/^[ -~]+$/);
          return;
        }
        const [, digits, unit] = /^([1-9]\d*)([smhdw])$/.exec(given) as unknown as [string, string, string];
        expect(parsed.value).toBe(Number(digits) * (units[unit] as number));
        expect(Number.isSafeInteger(parsed.value)).toBe(true);
      },
    ),
    { numRuns: caseCount(1_000) },
  );
});

test('names and options of servers are plain text, or refused', () => {
  const given = fc.oneof(
    fc.constantFrom(...hostileTexts),
    fc.string({ unit: 'grapheme', maxLength: 80 }),
    damaged(Buffer.from('www.Shop-1.example.com')).map(String),
    damaged(Buffer.from('2001:db8::10')).map(String),
  );
  fc.assert(
    fc.property(given, (text) => {
      for (const parsed of [parseDomain(text), parseServerAddress(text)]) {
        if (!parsed.ok) expect(parsed.why).toMatch(/^[ -~]+$/);
        else {
          expect(parsed.value).toMatch(/^[a-z0-9.:-]+$/);
          expect(parseServerAddress(parsed.value)).toEqual(parsed);
        }
      }
    }),
    { numRuns: caseCount(2_000) },
  );
  fc.assert(
    fc.property(fc.jsonValue(), (options) => {
      const parsed = parseServerOptions(options);
      if (parsed.ok) for (const value of Object.values(parsed.value)) expect(String(value)).toMatch(/^[a-z0-9]+$/);
    }),
  );
});

test('a cursor is read back, and a damaged one is refused or is another valid one', () => {
  const keys = fc.uint8Array({ minLength: 17, maxLength: 17 });
  fc.assert(fc.property(keys, (key) => void expect([...decodeCursor(encodeCursor(key))]).toEqual([...key])));
  fc.assert(
    fc.property(
      fc.oneof(
        keys.chain((key) => damaged(Buffer.from(encodeCursor(key)))),
        fc.uint8Array().map((any) => Buffer.from(any)),
      ),
      (bytes) => {
        const cursor = bytes.toString('latin1');
        try {
          expect(encodeCursor(decodeCursor(cursor))).toBe(cursor);
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidCursor);
        }
      },
    ),
    { numRuns: 500 },
  );
});

describe('a configuration', () => {
  const render = () =>
    renderConfiguration(builtInTemplate, 'the built-in template', { ...sampleInput, sites: sampleSites });
  const { blockedMap, trustedMap } = sampleInput;

  test('that is damaged is split into words, and no rule is found that is not there', async () => {
    const { text } = await render();
    const rule = findBlockedRule(text, { blockedMap, trustedMap });
    expect(rule.lines).toHaveLength(1);
    expect(bindAddresses(text)).not.toEqual([]);
    fc.assert(
      fc.property(damaged(Buffer.from(text)), (bytes) => {
        const given = bytes.toString();
        const lines = given.split('\n');
        for (const { number, words } of configLines(given)) {
          expect(words.length).toBeGreaterThan(0);
          expect(lines[number - 1]).not.toMatch(/^[ \t]*#/);
        }
        for (const line of findBlockedRule(given, { blockedMap, trustedMap }).lines) {
          expect(lines[line - 1]).toMatch(/deny|reject/);
          expect(given).toContain(`map_ip`);
          expect(given).toContain(blockedMap);
        }
        for (const front of frontEndsOf([{ path: 'c', text: given }], { blockedMap, trustedMap })) {
          expect(front.bindLines).not.toEqual([]);
          if (front.hasRule) expect(given).toContain(blockedMap);
        }
        for (const { host, port } of bindAddresses(given)) {
          expect(port).toBeLessThanOrEqual(65_535);
          expect(given.includes(host) || ['0.0.0.0', '::'].includes(host)).toBe(true);
        }
      }),
      { numRuns: caseCount(500) },
    );
  });

  test('from a hostile or damaged template is complete, or a refusal with its reason', async () => {
    const template = fc.oneof(
      damaged(Buffer.from(builtInTemplate)).map((bytes) => bytes.toString()),
      fc.constantFrom(...hostileTexts).map((text) => `${builtInTemplate}\n${text}\n`),
    );
    await fc.assert(
      fc.asyncProperty(template, async (given) => {
        try {
          const { text } = await renderConfiguration(given, 'a template', { ...sampleInput, sites: sampleSites });
          expect(text.endsWith('\n')).toBe(true);
          expect(findBlockedRule(text, { blockedMap, trustedMap }).lines.length).toBeGreaterThan(0);
        } catch (error) {
          expect(error).toBeInstanceOf(ServiceError);
          expect((error as ServiceError).status).toBe(422);
        }
      }),
      { numRuns: caseCount(200) },
    );
  });
});
