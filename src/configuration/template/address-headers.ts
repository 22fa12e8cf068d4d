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

/** From a peer that is no upstream: all of X-Forwarded-*, which says more than the address. */
export const claimedDirectly: ClaimedHeaders = {
  pattern: anchored([
    '(x.)?forwarded.*',
    'x.original.forwarded.*',
    '(x.)?((cluster|original|true|fastly|fly|azure|(wl.)?proxy).)?client.?ip(v6)?',
    '(x.)?((cf|do).connecting|appengine.user|real).?ip(v6)?',
    'cf.pseudo.ipv4',
    'x.envoy.external.address',
    'cloudfront.viewer.address',
  ]),
  parts: 'forwarded ip address',
};

/**
 * From an upstream, whose clients may have sent them: those that servers prefer to X-Forwarded-For, and the headers that
 * upstreams set, spelled with `_`.
 */
export const claimedThroughUpstreams: ClaimedHeaders = {
  pattern: anchored([
    'x.original.forwarded.*',
    'x.(original.)?client.?ip(v6)?',
    'client_ip',
    'x.forwarded_.*',
    'x_forwarded.*',
    ...Object.keys(singleHeaderModes).flatMap(withUnderscore),
  ]),
  parts: '_ original x-client',
};

/** From an upstream too; a part of their names is part of names that it sets. */
export const wholeNames = ['forwarded -m beg', 'client-ip'];

/** Of a name in three parts. */
function withUnderscore(name: string): string[] {
  const [first, second, third] = name.split('-');
  return [`${first}_${second}.${third}`, `${first}.${second}_${third}`];
}

function anchored(alternatives: readonly string[]): string {
  return `^(${alternatives.join('|')})$`;
}
