// The settings of the authority that issues certificates.
import { isIP, isIPv4, isIPv6 } from 'node:net';
import { SettingsError } from './setting-values.ts';

export interface AcmeSettings {
  /** Nothing is asked of an authority before the operator agreed to its terms. */
  readonly termsAgreed: boolean;
  /** URL. */
  readonly directory: string;
  /** `mailto:` URLs. */
  readonly contacts: readonly string[];
  /** Null: the authority's default. */
  readonly profile: string | null;
  /** Of an account that the authority has already (RFC 8555, 7.3.4). */
  readonly externalAccount: { readonly kid: string; readonly hmacFile: string } | null;
  /** Roots of the authority's own TLS, in PEM; null: those of Node. */
  readonly rootsFile: string | null;
  /** Program that creates and removes TXT records, for dns-01; null: none. */
  readonly dnsHook: string | null;
  /** `IP`, `IP:PORT` or `[IP]:PORT`, asked for these records; empty: the authoritative servers. */
  readonly dnsServers: readonly string[];
}

const DIRECTORIES: ReadonlyMap<string, string> = new Map([
  ['letsencrypt', 'https://acme-v02.api.letsencrypt.org/directory'],
  ['letsencrypt-staging', 'https://acme-staging-v02.api.letsencrypt.org/directory'],
]);
const MOST_CONTACTS = 5;
const MOST_DNS_SERVERS = 8;
/** Without what would end a `mailto:` URL. */
const ADDRESS = /^[\w.!#$&'*+/=^`{|}~-]{1,64}@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+$/;

/** @throws SettingsError */
export function acmeSettings(
  raw: (name: string) => string,
  values: Pick<AcmeSettings, 'termsAgreed' | 'rootsFile' | 'dnsHook'> & { readonly hmacFile: string | null },
): AcmeSettings {
  const kid = raw('ACME_EAB_KID');
  const { termsAgreed, hmacFile, rootsFile, dnsHook } = values;
  if (kid !== '' && hmacFile === null) {
    throw new SettingsError('PROXY_MANAGER_ACME_EAB_KID', kid, 'requires PROXY_MANAGER_ACME_EAB_HMAC_FILE');
  }
  if (!/^[!-~]{0,500}$/.test(kid)) {
    throw new SettingsError(
      'PROXY_MANAGER_ACME_EAB_KID',
      kid,
      'must be the key identifier that the authority gave you',
    );
  }
  if (kid === '' && hmacFile !== null) {
    throw new SettingsError('PROXY_MANAGER_ACME_EAB_HMAC_FILE', hmacFile, 'requires PROXY_MANAGER_ACME_EAB_KID');
  }
  return Object.freeze({
    termsAgreed,
    directory: directoryOf(raw('ACME_DIRECTORY')),
    contacts: contactsOf(raw('ACME_CONTACT')),
    profile: profileOf(raw('ACME_PROFILE')),
    externalAccount: hmacFile === null ? null : { kid, hmacFile },
    rootsFile,
    dnsHook,
    dnsServers: dnsServersOf(raw('ACME_DNS_SERVERS')),
  });
}

/** For `config show`, by the names of the settings. */
export function describeAcme(acme: AcmeSettings): Record<string, string> {
  const { termsAgreed, directory, contacts, profile, externalAccount, rootsFile, dnsHook, dnsServers } = acme;
  return {
    acmeTermsAgreed: String(termsAgreed),
    acmeDirectory: directory,
    acmeContact: contacts.map((one) => one.replace('mailto:', '')).join(','),
    acmeProfile: profile ?? "(the authority's default)",
    acmeEabKid: externalAccount?.kid ?? '',
    acmeEabHmacFile: externalAccount?.hmacFile ?? '',
    acmeCaFile: rootsFile ?? '',
    acmeDnsHook: dnsHook ?? '',
    acmeDnsServers: dnsServers.join(','),
  };
}

function directoryOf(text: string): string {
  const known = DIRECTORIES.get(text);
  if (known !== undefined) return known;
  const url = /^[!-~]+$/.test(text) ? URL.parse(text) : null;
  if (url?.protocol === 'https:' && url.username === '' && url.password === '') return text;
  const names = [...DIRECTORIES.keys()].join(', ');
  throw new SettingsError(
    'PROXY_MANAGER_ACME_DIRECTORY',
    text,
    `must be one of ${names}, or the https URL of a directory`,
  );
}

function contactsOf(text: string): readonly string[] {
  const addresses = text.split(',').filter((one) => one !== '');
  if (addresses.length > MOST_CONTACTS || !addresses.every((one) => ADDRESS.test(one))) {
    throw new SettingsError(
      'PROXY_MANAGER_ACME_CONTACT',
      text,
      `must be e-mail addresses, separated by commas, at most ${MOST_CONTACTS}`,
    );
  }
  return addresses.map((one) => `mailto:${one}`);
}

function dnsServersOf(text: string): readonly string[] {
  const servers = text.split(',').filter((one) => one !== '');
  if (servers.length <= MOST_DNS_SERVERS && servers.every(isDnsServer)) return Object.freeze(servers);
  throw new SettingsError(
    'PROXY_MANAGER_ACME_DNS_SERVERS',
    text,
    `must be IP addresses of name servers, separated by commas, at most ${MOST_DNS_SERVERS}; with a port as in 192.0.2.53:5353 or [2001:db8::53]:5353`,
  );
}

function isDnsServer(text: string): boolean {
  // Node takes IPv6 zones for addresses.
  if (text.includes('%')) return false;
  if (isIP(text) !== 0) return true;
  const [, v4, v6, port] = /^(?:([\d.]+)|\[([\da-fA-F:.]+)\]):(\d{1,5})$/.exec(text) ?? [];
  const family = v4 === undefined ? isIPv6(v6 ?? '') : isIPv4(v4);
  return family && Number(port) > 0 && Number(port) <= 65_535;
}

function profileOf(text: string): string | null {
  if (text === '') return null;
  if (/^[\w.-]{1,64}$/.test(text)) return text;
  throw new SettingsError('PROXY_MANAGER_ACME_PROFILE', text, 'must be the name of a profile, such as shortlived');
}
