import { bindAddresses } from '../configuration/reload/listeners.ts';
import { configLines } from '../configuration/rules/config-lines.ts';
import type { HandshakeTarget, ServedAddress } from '../tls/handshake.ts';

interface TargetQuestion {
  /** The live configuration and its path; null: there is none. */
  readonly text: string | null;
  readonly file: string;
  readonly list: string;
  readonly speaksProxyProtocol: (address: string) => Promise<boolean>;
}

const LOOPBACK: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** More than these are not tried: a range of ports may have thousands. */
const MOST_ADDRESSES = 8;

/** The addresses of all `bind` lines with the list, as this process reaches them. */
export async function handshakeTarget(question: TargetQuestion): Promise<HandshakeTarget> {
  const { text, list } = question;
  const lines = bindLinesWith(list, text ?? '');
  if (lines.length === 0) return { possible: false, why: unused(question) };
  const addresses: ServedAddress[] = [];
  const untried: string[] = [];
  for (const { words } of lines) {
    for (const word of (words[1] ?? '').split(',')) {
      const found = await reached(word, words, question);
      if (typeof found === 'string') untried.push(found);
      else addresses.push(...found);
    }
  }
  if (addresses.length === 0) return { possible: false, why: untried.join('; ') };
  const left = addresses.length - MOST_ADDRESSES;
  if (left > 0) untried.push(`${left} more addresses were not tried`);
  return { possible: true, addresses: addresses.slice(0, MOST_ADDRESSES), untried };
}

/** Why HAProxy would serve no certificate of the list, and what to do, a clause; null: it would, or there is no configuration. */
export function whyListUnused(question: Pick<TargetQuestion, 'text' | 'file' | 'list'>): string | null {
  const { text, list } = question;
  if (text === null || bindLinesWith(list, text).length > 0) return null;
  return `${unused(question)}, so HAProxy would not serve the certificate; reload HAProxy (proxy-manager reload); a template of your own needs this in its bind line for HTTPS: ssl crt {{ tls_default }} crt-list {{ tls_list }}`;
}

function bindLinesWith(list: string, text: string) {
  return [...configLines(text)].filter(
    ({ words }) => words[0] === 'bind' && words[words.indexOf('crt-list') + 1] === list,
  );
}

function unused({ file, list }: Pick<TargetQuestion, 'file' | 'list'>): string {
  return `no bind line of ${file} uses the list ${list}`;
}

/** Of one address of a line; or why it cannot be tried. */
async function reached(
  word: string,
  words: readonly string[],
  { speaksProxyProtocol }: TargetQuestion,
): Promise<readonly ServedAddress[] | string> {
  if (words.includes('accept-proxy')) return `HAProxy expects PROXY protocol at ${word}`;
  const found = bindAddresses(['bind', word, ...words.slice(2)].join(' '));
  if (found.length === 0) return `the address ${word} cannot be reached by TCP from here`;
  const addresses = found.map(({ host, port }) => ({ host: LOOPBACK[host] ?? host, port }));
  // A connection to an address of this machine comes from that address.
  const [{ host }] = addresses as [ServedAddress];
  if (await speaksProxyProtocol(host)) return `HAProxy expects PROXY protocol of ${host}, which is an upstream`;
  return addresses;
}
