import Type, { type Static } from 'typebox';
import { codes } from '../errors/catalogue.ts';
import { sentAddress } from './changes.ts';
import { operation } from './operation.ts';
import { flagOrNull, integerOrNull, listOf, model, oneOf, requestModel, text, textOrNull } from './schema.ts';

/** HAProxy refuses requests with more, by default. */
const mostHeaders = 100;
const longestValue = 8_192;

const SentHeader = requestModel('SentHeader', 'One line of a request header.', 'a JSON object with name and value', {
  name: Type.String({
    minLength: 1,
    maxLength: 128,
    pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$",
    description: 'Its name, in any case.',
    mustBe: 'the name of a header, of 1 to 128 characters',
    examples: ['X-Forwarded-For'],
  }),
  value: Type.String({
    maxLength: longestValue,
    pattern: '^[^\\u0000-\\u0008\\u000a-\\u001f\\u007f]*$',
    description: 'Its value, as it was sent.',
    mustBe: `one line of at most ${longestValue} characters, without control characters`,
    examples: ['198.51.100.1, 203.0.113.7'],
  }),
});

const ClientAddressRequest = requestModel(
  'ClientAddressRequest',
  'A request as HAProxy receives it.',
  'a JSON object with peer, and headers',
  {
    peer: sentAddress(
      'The address that connects; of an upstream with PROXY protocol the address that it names there. One address, not a network.',
    ),
    headers: Type.Optional(
      Type.Array(SentHeader, {
        maxItems: mostHeaders,
        description:
          'The headers of the request in their order. The same name may appear several times. Default: none.',
        mustBe: `a list of at most ${mostHeaders} headers`,
      }),
    ),
  },
);
export type ClientAddressRequest = Static<typeof ClientAddressRequest>;

const AddressStep = model('AddressStep', 'An address that was read.', {
  address: text('The address.'),
  header: textOrNull('The header that names it; null: it is the peer.'),
  upstream: textOrNull(
    'The upstream to which it belongs, if its headers are read; null: it is none, or the setting of the upstream before it ends the walk.',
  ),
});

const ClientAddressAnswer = model('ClientAddressAnswer', 'Which address HAProxy checks, and why.', {
  client: textOrNull('The address that is checked, logged and sent to servers; null: HAProxy refuses the request.'),
  steps: listOf(AddressStep, 'From the peer to the client; empty for `too_large`.'),
  upstream: textOrNull('The upstream to which the peer belongs; null: none, so no header is believed.'),
  verdict: oneOf(
    ['too_large', 'unreadable', 'no_client', 'trusted', 'blocked', 'allowed'],
    '`too_large`: the headers do not fit into the buffer of HAProxy, 15,360 bytes with the request line, unless `tune.bufsize` changes it: it refuses the request before any rule. `unreadable`: a header of the upstream cannot be read. `no_client`: the upstream names no client and is served itself. `trusted`: trust overrides any block. `blocked`: denied. `allowed`: no entry covers the client.',
  ),
  by: textOrNull('The blocked or trusted entry that decides; null: none does.'),
  status: integerOrNull(
    400,
    431,
    'What HAProxy answers itself: 400, 403, or from HAProxy 3.2 on 431 for headers that are too large; null: the request is passed on.',
  ),
  upstreams_in_force: flagOrNull(
    'True: every front end that denies blocked addresses checks the clients of upstreams, in every worker; one without HTTP those that PROXY protocol names. False: not all do, as `upstreams_reason` says; such a front end checks the peer. If the live configuration has no rules for upstreams at all, the answer is that for the peer. Null: not known, for example because a rule has a condition that may not hold.',
  ),
  upstreams_reason: textOrNull(
    'Why upstreams are not in force everywhere, or why that is not known; null if they are. `/health` names every such front end.',
  ),
});
export type ClientAddressAnswer = Static<typeof ClientAddressAnswer>;

export const explainClientAddress = operation({
  id: 'explainClientAddress',
  method: 'POST',
  path: '/api/client-address',
  access: 'read',
  audit: null,
  tag: 'Upstreams',
  summary: 'Explain which address is checked for a request',
  description:
    'Follows the rules of the built-in template over the stored upstreams, and looks the client up in the blocked and trusted entries. It changes nothing and sends nothing to HAProxy: whether the workers hold an entry is what `GET /api/check/{ip_address}` verifies.',
  body: ClientAddressRequest,
  // A hundred headers of which one is long.
  bodyLimit: 131_072,
  answers: { 200: { description: 'The address, and the verdict.', schema: ClientAddressAnswer } },
  codes: [codes.InvalidAddress],
  examples: {
    through_an_upstream: {
      summary: 'A blocked client behind a load balancer',
      body: {
        peer: '10.0.3.7',
        headers: [{ name: 'X-Forwarded-For', value: '198.51.100.1, 203.0.113.7' }],
      },
      answer: {
        client: '203.0.113.7',
        steps: [
          { address: '10.0.3.7', header: null, upstream: 'lb' },
          { address: '203.0.113.7', header: 'x-forwarded-for', upstream: null },
        ],
        upstream: 'lb',
        verdict: 'blocked',
        by: '203.0.113.7',
        status: 403,
        upstreams_in_force: true,
        upstreams_reason: null,
      },
    },
    not_believed: {
      summary: 'A client that names another address',
      body: { peer: '198.51.100.20', headers: [{ name: 'X-Forwarded-For', value: '192.0.2.10' }] },
      answer: {
        client: '198.51.100.20',
        steps: [{ address: '198.51.100.20', header: null, upstream: null }],
        upstream: null,
        verdict: 'allowed',
        by: null,
        status: null,
        upstreams_in_force: true,
        upstreams_reason: null,
      },
    },
  },
});
