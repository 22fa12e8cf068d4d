import { type Parsed, parsed, refused } from './parsed.ts';
import { quote } from './quote.ts';
import { hostNameFault, lowerAscii } from './site.ts';

/**
 * A name that a certificate is for, in lower case: a host name, or `*.` and one, which stands for exactly one label, as in
 * HAProxy and in browsers.
 */
export function parseCertificateName(text: string): Parsed<string> {
  const name = lowerAscii(text);
  const host = name.startsWith('*.') ? name.slice(2) : name;
  const fault = hostNameFault(host);
  if (fault !== undefined) return refused(`${quote(text)} ${fault}`);
  if (name !== host && !host.includes('.')) return refused(`${quote(text)} would stand for a whole top-level domain`);
  return parsed(name);
}

/** Whether a certificate for `pattern` is valid for `host`; both in lower case. */
export function coversHost(pattern: string, host: string): boolean {
  if (!pattern.startsWith('*.')) return pattern === host;
  const dot = host.indexOf('.');
  return dot > 0 && host.slice(dot) === pattern.slice(1);
}

/** `*.example.com` for `shop.example.com`; a wildcard, and a name without a dot, for itself. */
export function wildcardOver(name: string): string {
  const dot = name.indexOf('.');
  return dot > 0 ? `*${name.slice(dot)}` : name;
}
