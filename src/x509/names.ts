// Names of certificates: of whom they are, and what they are for.
import type { X509Certificate } from 'node:crypto';
import { parseCertificateName } from '../domain/certificate-name.ts';
import { refused } from '../domain/parsed.ts';
import { quote } from '../domain/quote.ts';

export interface SubjectNames {
  /** In lower case, without duplicates. */
  readonly dns: readonly string[];
  /** Addresses, and names that are not DNS names. */
  readonly others: readonly string[];
}

/** Of `subjectAltName`. */
export function subjectNames({ subjectAltName }: X509Certificate): SubjectNames {
  const dns = new Set<string>();
  const others: string[] = [];
  for (const one of splitNames(subjectAltName ?? '')) {
    const name = one.startsWith('DNS:') ? parseCertificateName(one.slice('DNS:'.length)) : refused('');
    if (name.ok) dns.add(name.value);
    else others.push(one);
  }
  return { dns: [...dns], others };
}

/** Node writes names with a comma or a quote in them as JSON strings. */
function splitNames(text: string): string[] {
  return text === '' ? [] : (text.match(/(?:[^,"]|"(?:[^"\\]|\\.)*")+/g) ?? []).map((one) => one.trim());
}

/** Common names that are DNS names, in lower case. */
export function commonNames({ subject }: X509Certificate): string[] {
  return partsOf(subject).flatMap(([type, value]) => {
    const name = type === 'CN' ? parseCertificateName(value) : refused('');
    return name.ok ? [name.value] : [];
  });
}

/** Fit for a message. */
export function subjectText({ subject, subjectAltName }: X509Certificate): string {
  return nameText(subject ?? subjectAltName ?? '');
}

/** `C=US, O=Example, CN=R3` from one part a line. */
export function nameText(name: string): string {
  return name === '' || name === undefined ? 'an empty subject' : quote(name.split('\n').join(', '));
}

/** As HAProxy prints it: `/C=US/O=Example/CN=R3`. */
export function proxySubject({ subject }: X509Certificate): string {
  return partsOf(subject)
    .map(([type, value]) => `/${type}=${value}`)
    .join('');
}

/** Node writes one part a line, several of one kind with ` + ` between them, with the escapes of RFC 2253. */
function partsOf(name: string | undefined): [type: string, value: string][] {
  const parts = (name ?? '').split('\n').flatMap((line) => line.split(/ \+ (?=[A-Za-z0-9.]+=)/));
  return parts
    .filter((part) => part.includes('='))
    .map((part) => [part.slice(0, part.indexOf('=')), unescaped(part.slice(part.indexOf('=') + 1))]);
}

function unescaped(value: string): string {
  return value.replaceAll(/\\(?:([0-9A-F]{2})|(.))/g, (_all, hex: string | undefined, character: string) =>
    hex === undefined ? character : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
