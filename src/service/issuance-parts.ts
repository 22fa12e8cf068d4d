// Certificates of an authority, wired together.
import { readFile } from 'node:fs/promises';
import { createAcmeClient } from '../acme/client.ts';
import { keyAuthorization } from '../acme/jws.ts';
import type { AcmeSettings } from '../acme-settings.ts';
import type { ChallengeSet } from '../blocking/challenge-set.ts';
import type { Emit } from '../events/facts.ts';
import { AuthorityClock } from '../issuance/authority-clock.ts';
import { DnsChallenges } from '../issuance/dns-challenges.ts';
import { DnsHook } from '../issuance/dns-hook.ts';
import { HttpChallenges } from '../issuance/http-challenges.ts';
import { Issuance } from '../issuance/issuance.ts';
import { type IssuanceFindings, issuanceFindings } from '../issuance/issuance-findings.ts';
import { type AcmeOperation, type AcmeResult, observedClient } from '../issuance/observed-client.ts';
import { OrderReports } from '../issuance/order-reports.ts';
import { AuthoritativeNameServers, GivenNameServers } from '../issuance/txt-lookup.ts';
import type { AcmeMetricFacts } from '../metrics/acme-metrics.ts';
import type { Settings } from '../settings.ts';
import { AcmeAccountsStore } from '../store/acme-accounts-store.ts';
import { AcmeCertificatesStore } from '../store/acme-certificates-store.ts';
import { AcmeFactsStore } from '../store/acme-facts-store.ts';
import { AcmeOrdersStore } from '../store/acme-orders-store.ts';
import { AcmeTimesStore } from '../store/acme-times-store.ts';
import type { IssuanceProblem } from '../store/issuance-problem.ts';
import type { Database } from '../store/open-database.ts';
import { causeText, type Log } from '../telemetry/log.ts';
import { ariId } from '../x509/ari-id.ts';
import { signingRequest } from '../x509/csr.ts';
import type { TlsParts } from './tls-parts.ts';

interface IssuanceOptions {
  readonly settings: Pick<Settings, 'acme'>;
  readonly database: Database;
  /** Null: HAProxy serves no TLS. */
  readonly tls: Pick<TlsParts, 'certificates' | 'sealer' | 'speaksProxyProtocol'> | null;
  readonly challenges: ChallengeSet;
  readonly observer: {
    /** A request to the authority ended. */
    requested(operation: AcmeOperation, result: AcmeResult): void;
    /** An order ended; null: with a certificate. */
    ordered(failure: IssuanceProblem | null): void;
  };
  readonly emit: Emit;
  readonly version: string;
  readonly log: Log;
  readonly now: () => Date;
}

type NoIssuance = { readonly tls: false } | { readonly setting: string; readonly why: string };

interface IssuanceParts {
  readonly issuance: Issuance | NoIssuance;
  /** For `/health`. @throws when the database cannot be read */
  findings(): Promise<IssuanceFindings>;
  /** Null: HAProxy serves no TLS. @throws when the database cannot be read */
  metricFacts(): Promise<AcmeMetricFacts | null>;
}

/** Certificates in a health report at most. */
const MOST_FOUND = 1_000;

export async function wireIssuance(options: IssuanceOptions): Promise<IssuanceParts> {
  const { database, tls, now } = options;
  const facts = new AcmeFactsStore(database);
  const accounts = new AcmeAccountsStore(database);
  const clock = new AuthorityClock(now);
  const issuance = await issuanceOf(options, accounts, clock);
  const pauses = async () => (await accounts.pauses()).filter(({ until }) => until > now());
  return {
    issuance,
    async findings() {
      if (tls === null) return { problems: [], notices: [] };
      return issuanceFindings(
        {
          unrenewed: await facts.unrenewed(now(), MOST_FOUND),
          totals: await facts.totals(now()),
          pauses: await pauses(),
          obstacle: 'why' in issuance ? issuance.why : null,
          clockOffsetMs: clock.offsetMs,
        },
        now(),
      );
    },
    async metricFacts() {
      if (tls === null) return null;
      const ends = (await pauses()).map(({ until }) => until.getTime());
      return {
        totals: await facts.totals(now()),
        pausedUntil: ends.length === 0 ? null : new Date(Math.max(...ends)),
        clockOffsetMs: clock.offsetMs,
      };
    },
  };
}

/** Files that cannot be read keep the service from ordering, not from blocking. */
async function issuanceOf(
  options: IssuanceOptions,
  accounts: AcmeAccountsStore,
  clock: AuthorityClock,
): Promise<Issuance | NoIssuance> {
  const { settings, database, tls, challenges, observer, emit, version, log, now } = options;
  const { acme } = settings;
  if (tls === null) return { tls: false };
  const agreement = 'PROXY_MANAGER_ACME_TERMS_AGREED';
  if (!acme.termsAgreed) {
    const why = `the service orders no certificates: set ${agreement}=true if you agree to the terms of the authority, and restart the service`;
    const { length: certificates } = await new AcmeCertificatesStore(database).all();
    if (certificates > 0) log.warn('Certificates of an authority are not renewed', { certificates, cause: why });
    return { setting: agreement, why };
  }
  const files = await readFiles(acme);
  if ('why' in files) {
    log.error('Certificates are not ordered', { cause: files.why });
    return files;
  }
  const orders = new AcmeOrdersStore(database);
  const { hmacKey, roots } = files;
  const { directory, profile, contacts, externalAccount, termsAgreed } = acme;
  const wanted = new AcmeCertificatesStore(database);
  const reports = new OrderReports({ wanted, observer, emit, log, now });
  return new Issuance({
    settings: {
      ...{ directory, profile, contacts, termsAgreed },
      externalAccount: externalAccount === null || hmacKey === null ? null : { kid: externalAccount.kid, hmacKey },
    },
    orders,
    times: new AcmeTimesStore(database),
    ...{ wanted, accounts, sealer: tls.sealer, certificates: tls.certificates, log, now },
    acme: {
      connect: (url, accountKey) =>
        observedClient(
          createAcmeClient({
            ...{ directory: url, accountKey, roots, userAgent: `proxy-manager/${version}`, now },
            onDate: (date) => clock.heard(date),
          }),
          (operation, result) => observer.requested(operation, result),
        ),
      keyAuthorization,
      createCsr: signingRequest,
      renewalId: ariId,
    },
    presenters: {
      'http-01': new HttpChallenges({ set: challenges, speaksProxyProtocol: tls.speaksProxyProtocol }),
      'dns-01': new DnsChallenges({
        hook: acme.dnsHook === null ? null : new DnsHook({ path: acme.dnsHook, environment: process.env }),
        nameServers:
          acme.dnsServers.length === 0 ? new AuthoritativeNameServers() : new GivenNameServers(acme.dnsServers),
        ...{ orders, log, now },
      }),
    },
    onEnded: (order, failure) => void reports.ended(order, failure),
    onPaused: ({ directory: paused, scope, until, failures, problem: { type, detail } }) => {
      // One that stays away is asked every half hour.
      if (failures <= 1) emit('acme.paused', { directory: paused, scope, until: until.toISOString(), type, detail });
    },
    clockOffsetMs: () => clock.offsetMs,
    elapsed: () => performance.now(),
    random: Math.random,
  });
}

interface Files {
  readonly hmacKey: Uint8Array | null;
  readonly roots: string | null;
}

async function readFiles({
  externalAccount,
  rootsFile,
}: AcmeSettings): Promise<Files | { setting: string; why: string }> {
  let hmacKey: Uint8Array | null = null;
  let roots: string | null = null;
  let setting = 'PROXY_MANAGER_ACME_EAB_HMAC_FILE';
  try {
    if (externalAccount !== null) {
      const text = (await readFile(externalAccount.hmacFile, 'utf8')).trim();
      if (!/^[\w-]+=*$/.test(text)) return { setting, why: `${externalAccount.hmacFile} contains no key in base64url` };
      hmacKey = Buffer.from(text, 'base64url');
    }
    setting = 'PROXY_MANAGER_ACME_CA_FILE';
    if (rootsFile !== null) roots = await readFile(rootsFile, 'utf8');
  } catch (error) {
    return { setting, why: `the file of ${setting} cannot be read: ${causeText(error)}` };
  }
  return { hmacKey, roots };
}
