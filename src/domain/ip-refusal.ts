import { isIP, isIPv4, isIPv6 } from 'node:net';
import { quote } from './quote.ts';

const WANTED = 'give an IPv4 or IPv6 address or network, such as 192.0.2.1, 192.0.2.0/24 or 2001:db8::/32';

/** Why a text is not an address, and what to write instead. Not on the fast path: called after the parser has refused. */
export function explainRefusal(text: string): string {
  if (text === '') return `an empty text is not an IP address; ${WANTED}`;
  const shown = quote(text);
  const trimmed = text.trim();
  if (trimmed !== text) return `${shown} has whitespace around it${suggest(trimmed)}`;
  // The longest spelling of an IPv6 network has 49 characters; a much longer text needs no further explanation.
  if (text.length > 128) return `${shown} is too long for an IP address; ${WANTED}`;
  if (/[^ -~]/.test(text)) return `${shown} has characters that are not printable ASCII; ${WANTED}`;
  if (/^[0-9a-f.:]+ *- *[0-9a-f.:]+$/i.test(text) && /[.:]/.test(text)) {
    return `${shown} looks like a range; ranges are not supported, give it as networks, such as 192.0.2.0/24`;
  }
  if (text.includes(' ')) return `${shown} contains whitespace; give one address or network`;
  if (text.includes(',')) return `${shown} looks like a list; give one address or network`;
  if (text.includes('%'))
    return `${shown} has a zone id, which is local to one machine${suggest(text.replace(/%.*$/, ''))}`;
  if (/^\[.*\](:\d+)?$/.test(text)) {
    return `${shown} has brackets or a port${suggest(text.slice(1, text.lastIndexOf(']')))}`;
  }
  const colon = text.indexOf(':');
  if (colon > 0 && isIPv4(text.slice(0, colon))) return `${shown} has a port${suggest(text.slice(0, colon))}`;
  const slash = text.indexOf('/');
  if (slash >= 0) return explainNetwork(shown, text.slice(0, slash));
  return explainAddress(shown, text);
}

function explainNetwork(shown: string, address: string): string {
  // With a valid address the parser would have accepted the text or reported its prefix.
  return `${shown} does not begin with an IP address: ${explainAddress(quote(address), address)}`;
}

function explainAddress(shown: string, text: string): string {
  if (text === '') return `an empty text is not an IP address; ${WANTED}`;
  if (/^[0-9.]+$/.test(text)) return `${shown} ${explainDotted(text)}`;
  if (/^(0x[0-9a-f]+|[0-9]+)(\.(0x[0-9a-f]+|[0-9]+))*$/i.test(text)) {
    return `${shown} is in hexadecimal; write the IPv4 address as four decimal parts, such as 192.0.2.1`;
  }
  if (text.includes(':')) return `${shown} is not an IPv6 address; ${explainColons(text)}`;
  if (/^[a-z0-9_*-]+(\.[a-z0-9_*-]+)*\.?$/i.test(text)) return `${shown} looks like a host name; ${WANTED}`;
  return `${shown} is not an IP address; ${WANTED}`;
}

function explainDotted(text: string): string {
  const parts = text.split('.');
  if (parts.some((part) => part === '')) return `is not an IPv4 address; ${WANTED}`;
  if (parts.some((part) => /^0[0-9]/.test(part))) {
    return 'has leading zeros, which some programs read as octal; write every part without them';
  }
  if (parts.length !== 4) return 'is not a complete IPv4 address; write four decimal parts, such as 192.0.2.1';
  return 'is not an IPv4 address: each part is at most 255';
}

function explainColons(text: string): string {
  if (text.split('::').length > 2) return 'the gap :: is allowed only once';
  if (text.includes(':::')) return 'the gap is written :: with two colons';
  if (/[^0-9a-f:.]/i.test(text)) return 'it contains a character that is neither a hexadecimal digit nor a colon';
  const tail = text.slice(text.lastIndexOf(':') + 1);
  if (tail.includes('.') && !isIPv4(tail)) return `its last part ${quote(tail)} ${explainDotted(tail)}`;
  return 'write eight groups of up to four hexadecimal digits, with one :: for groups of zeros';
}

/** Suggests only what the parser accepts: a plain address without a zone id. */
function suggest(candidate: string): string {
  const plain = isIP(candidate) !== 0 && !(isIPv6(candidate) && candidate.includes('%'));
  return plain ? `; did you mean ${candidate}?` : `; ${WANTED}`;
}
