// The request headers in which a server may look for the address of the client, as the regular expressions with which
// HAProxy removes them. A dot stands for any separator: programs that follow CGI read `_`, and some every other
// character, as the hyphen. HAProxy compares names in lower case. The expressions are those of POSIX, for an HAProxy
// that was built without PCRE.
import { singleHeaderModes } from '../../domain/upstream-modes.ts';

/** What no upstream is believed to say. */
const neverBelieved = [
  'forwarded.*',
  'x.original.forwarded.*',
  'x.envoy.external.address',
  'cloudfront.viewer.address',
  'cf.pseudo.ipv4',
  '(x.)?((cluster.|original.|fly.|azure.|(wl.)?proxy.)?client|do.connecting|appengine.user).?ip(v6)?',
];

/** From a peer that is no upstream: all of X-Forwarded-*, which says more than the address. */
export const claimedDirectly = anchored([
  ...neverBelieved,
  'x.forwarded.*',
  '(x.)?((true|fastly).client|cf.connecting|real).?ip(v6)?',
]);

/** From an upstream, whose clients may have sent them: all but X-Forwarded-* and the headers of one address. */
export const claimedThroughUpstreams = anchored([
  ...neverBelieved,
  'real.?ip(v6)?',
  'x.forwarded([^-].*)?',
  'x[^-]forwarded.*',
  ...Object.keys(singleHeaderModes).flatMap(otherSpellings),
]);

/** Of a name in three parts. */
function otherSpellings(name: string): string[] {
  const [first, second, third] = name.split('-');
  return [`${first}[^-]${second}.?${third}(v6)?`, `${first}.${second}([^-]?${third}(v6)?|.${third}v6)`];
}

function anchored(alternatives: readonly string[]): string {
  return `^(${alternatives.join('|')})$`;
}
