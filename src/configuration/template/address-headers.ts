// The request headers in which a server may look for the address of the client, as the regular expressions with which
// HAProxy removes them. A dot stands for any separator: programs that follow CGI read `_`, and some every other
// character, as the hyphen. HAProxy compares names in lower case. The expressions are those of POSIX, for an HAProxy
// that was built without PCRE.
import { singleHeaderModes } from '../../domain/upstream-modes.ts';

export interface ClaimedHeaders {
  /** Of the whole name. */
  readonly pattern: string;
  /** Each name that the pattern matches contains one of them. To look for them costs much less than the pattern. */
  readonly parts: string;
}

/** What no upstream is believed to say. */
const neverBelieved = [
  'x.original.forwarded.*',
  'x.envoy.external.address',
  'cloudfront.viewer.address',
  '(x.)?(cluster.|original.|fly.|azure.|(wl.)?proxy.)?client.?ip(v6)?',
];

/** From a peer that is no upstream: all of X-Forwarded-*, which says more than the address. */
export const claimedDirectly: ClaimedHeaders = {
  pattern: anchored([
    ...neverBelieved,
    '(x.)?forwarded.*',
    '(x.)?((true|fastly).client|(cf|do).connecting|appengine.user|real).?ip(v6)?',
    'cf.pseudo.ipv4',
  ]),
  parts: 'forwarded ip address',
};

/**
 * From an upstream, whose clients may have sent them: all but X-Forwarded-* and the headers of one address. Other
 * separators than `_` are not looked for, and `wholeNames` need rules of their own.
 */
export const claimedThroughUpstreams: ClaimedHeaders = {
  pattern: anchored([
    ...neverBelieved,
    'x.forwarded([^-].*)?',
    'x[^-]forwarded.*',
    ...Object.keys(singleHeaderModes).flatMap(otherSpellings),
    '(do.connecting|x.appengine.user).ip',
    'cf.pseudo.ipv4',
  ]),
  parts: '_ client original address ipv user do-c',
};

export const wholeNames = ['forwarded -m beg', 'x-forwarded'];

/** Of a name in three parts. */
function otherSpellings(name: string): string[] {
  const [first, second, third] = name.split('-');
  return [`${first}[^-]${second}.?${third}(v6)?`, `${first}.${second}([^-]?${third}(v6)?|.${third}v6)`];
}

function anchored(alternatives: readonly string[]): string {
  return `^(${alternatives.join('|')})$`;
}
