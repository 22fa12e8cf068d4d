// Certificates of an authority, wired together.
import { readFile } from 'node:fs/promises';
import { createAcmeClient } from '../acme/client.ts';
import { keyAuthorization } from '../acme/jws.ts';
import type { AcmeSettings } from '../acme-settings.ts';
import type { ChallengeSet } from '../blocking/challenge-set.ts';
import { DnsChallenges } from '../issuance/dns-challenges.ts';
import { DnsHook } from '../issuance/dns-hook.ts';
import { HttpChallenges } from '../issuance/http-challenges.ts';
import { Issuance } from '../issuance/issuance.ts';
import { AuthoritativeNameServers, GivenNameServers } from '../issuance/txt-lookup.ts';
import type { Settings } from '../settings.ts';
import { AcmeAccountsStore } from '../store/acme-accounts-store.ts';
import { AcmeCertificatesStore } from '../store/acme-certificates-store.ts';
import { AcmeOrdersStore } from '../store/acme-orders-store.ts';
import { AcmeTimesStore } from '../store/acme-times-store.ts';
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
  readonly version: string;
  readonly log: Log;
  readonly now: () => Date;
}

type NoIssuance = { readonly tls: false } | { readonly setting: string; readonly why: string };

/** Files that cannot be read keep the service from ordering, not from blocking. */
export async function wireIssuance(options: IssuanceOptions): Promise<Issuance | NoIssuance> {
  const { settings, database, tls, challenges, version, log, now } = options;
  const { acme } = settings;
  if (tls === null) return { tls: false };
  const agreement = 'PROXY_MANAGER_ACME_TERMS_AGREED';
  if (!acme.termsAgreed) {
    const why = `the service orders no certificates: set ${agreement}=true if you agree to the terms of the authority, and restart the service`;
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
  return new Issuance({
    settings: {
      ...{ directory, profile, contacts, termsAgreed },
      externalAccount: externalAccount === null || hmacKey === null ? null : { kid: externalAccount.kid, hmacKey },
    },
    orders,
    wanted: new AcmeCertificatesStore(database),
    accounts: new AcmeAccountsStore(database),
    times: new AcmeTimesStore(database),
    ...{ sealer: tls.sealer, certificates: tls.certificates, log, now },
    acme: {
      connect: (url, accountKey) =>
        createAcmeClient({ directory: url, accountKey, roots, userAgent: `proxy-manager/${version}`, now }),
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
    onEnded: ({ certificate, names }, failure) => {
      const fields = { certificate, names };
      if (failure === null) log.info('Certificate issued', fields);
      else log.warn('Order of a certificate failed', { ...fields, class: failure.class, cause: failure.detail });
    },
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
