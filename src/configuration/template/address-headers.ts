// The request headers in which a server may look for the address of the client, as the regular expressions with which
// HAProxy removes them. Any character that is no letter and no digit is a separator: programs that follow CGI read `_`,
// and some every other character, as the hyphen. HAProxy compares names in lower case. The expressions are those of
// POSIX, for an HAProxy that was built without PCRE.
import { singleHeaderModes } from '../../domain/upstream-modes.ts';

export interface ClaimedHeaders {
  /** Of the whole name. */
  readonly pattern: string;
  /** A request is searched for them first, which costs much less than the pattern. */
  readonly parts: string;
}

/** Not `.*`: a client could send a name of thousands of characters, of which each start would be tried. */
const any = '.{0,40}';
const separator = '[^a-z0-9]';

const beforeIp = Object.keys(singleHeaderModes).map((name) => name.slice(0, -'-ip'.length));

const everywhere = [
  `${any}forward.?for`,
  `(${any}${separator})?ipv[46]`,
  `${any}(client|real|remote|user|source|originating)ip(v[46])?`,
  `${any}(client|real|remote|source|peer|viewer|external).?addr(ess)?`,
];

/** From a peer that is no upstream: all of X-Forwarded-*, which says more than the address. Each name has a part. */
export const claimedDirectly: ClaimedHeaders = {
  pattern: anchored([`${any}forwarded${any}`, `(${any}${separator})?ip`, ...everywhere]),
  parts: 'forward ip addr',
};

/**
 * From an upstream, whose clients may have sent them: the same, except X-Forwarded-* and the headers of one address, in
 * which the upstream speaks. The parts are in none of these, so its usual requests do not pay for the pattern.
 */
export const claimedThroughUpstreams: ClaimedHeaders = {
  pattern: anchored([
    `(([^x]|x[^-]|x-.)${any}|x?)forwarded${any}`,
    `x-forwarded(-${any}[^a-z0-9-]${any}|[^-]${any})?`,
    `(${any}[^a-z0-9-](${any}-)?|${otherThan(beforeIp)}-)?ip`,
    ...everywhere,
  ]),
  parts: '_ . origina x-c ipv addr remote xy r-ip',
};

/** From an upstream too; a part of their names is part of names that it sets. */
export const wholeNames = ['forwarded -m beg', 'client-ip'];

/** Matches every text but these, read from the end: the first character that none of them has there decides. */
function otherThan(texts: readonly string[]): string {
  if (texts.includes('')) return `.${any}`;
  const lasts = [...new Set(texts.map((text) => text.slice(-1)))];
  const same = lasts.map((last) => {
    const shorter = texts.filter((text) => text.endsWith(last)).map((text) => text.slice(0, -1));
    return `${otherThan(shorter)}${last}`;
  });
  return `(${any}[^${lasts.join('')}]|${same.join('|')})?`;
}

function anchored(alternatives: readonly string[]): string {
  return `^(${alternatives.join('|')})$`;
}
