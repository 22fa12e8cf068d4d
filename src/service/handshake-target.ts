import { bindAddresses } from '../configuration/reload/listeners.ts';
import { configLines } from '../configuration/rules/config-lines.ts';
import type { HandshakeTarget } from '../tls/handshake.ts';

interface TargetQuestion {
  /** The live configuration and its path; null: there is none. */
  readonly text: string | null;
  readonly file: string;
  readonly list: string;
  readonly speaksProxyProtocol: (address: string) => Promise<boolean>;
}

const LOOPBACK: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** Where this process reaches a `bind` line with the list. The first address of the line stands for all of them. */
export async function handshakeTarget(question: TargetQuestion): Promise<HandshakeTarget> {
  const { text, file, list, speaksProxyProtocol } = question;
  const lines = [...configLines(text ?? '')].filter(
    ({ words }) => words[0] === 'bind' && words[words.indexOf('crt-list') + 1] === list,
  );
  const not = (why: string): HandshakeTarget => ({ possible: false, why });
  if (lines.length === 0) return not(`no bind line of ${file} uses the list ${list}`);
  const [line] = lines.filter(({ words }) => !words.includes('accept-proxy'));
  if (line === undefined) return not('HAProxy expects PROXY protocol at this address');
  const [address] = bindAddresses(line.words.join(' '));
  if (address === undefined) return not(`the address ${line.words[1] ?? ''} cannot be reached by TCP from here`);
  const host = LOOPBACK[address.host] ?? address.host;
  // A connection to an address of this machine comes from that address.
  if (await speaksProxyProtocol(host)) return not(`HAProxy expects PROXY protocol of ${host}, which is an upstream`);
  return { possible: true, host, port: address.port };
}
