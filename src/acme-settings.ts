// The settings of the authority that issues certificates.
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
}

const DIRECTORIES: ReadonlyMap<string, string> = new Map([
  ['letsencrypt', 'https://acme-v02.api.letsencrypt.org/directory'],
  ['letsencrypt-staging', 'https://acme-staging-v02.api.letsencrypt.org/directory'],
]);
const MOST_CONTACTS = 5;
/** Without what would end a `mailto:` URL. */
const ADDRESS = /^[\w.!#$&'*+/=^`{|}~-]{1,64}@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+$/;

/** @throws SettingsError */
export function acmeSettings(
  raw: (name: string) => string,
  values: { readonly termsAgreed: boolean; readonly hmacFile: string | null; readonly rootsFile: string | null },
): AcmeSettings {
  const kid = raw('ACME_EAB_KID');
  const { termsAgreed, hmacFile, rootsFile } = values;
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
  });
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

function profileOf(text: string): string | null {
  if (text === '') return null;
  if (/^[\w.-]{1,64}$/.test(text)) return text;
  throw new SettingsError('PROXY_MANAGER_ACME_PROFILE', text, 'must be the name of a profile, such as shortlived');
}
