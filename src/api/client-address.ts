import Type, { type Static } from 'typebox';
import { codes } from '../errors/catalogue.ts';
import { sentAddress } from './changes.ts';
import { operation } from './operation.ts';
import { flag, integerOrNull, listOf, model, oneOf, requestModel, text, textOrNull } from './schema.ts';

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

const ClientAddressAnswer = model('ClientAddressAnswer', 'Which address HAProxy judges, and why.', {
  client: textOrNull('The address that is judged, logged and sent to servers; null: the request is answered with 400.'),
  steps: listOf(AddressStep, 'From the peer to the client.'),
  upstream: textOrNull('The upstream to which the peer belongs; null: none, so no header is believed.'),
  verdict: oneOf(
    ['unreadable', 'no_client', 'trusted', 'blocked', 'allowed'],
    '`unreadable`: a header of the upstream cannot be read. `no_client`: the upstream names no client and is served itself. `trusted`: trust overrides any block. `blocked`: denied. `allowed`: no entry covers the client.',
  ),
  by: textOrNull('The blocked or trusted entry that decides; null: none does.'),
  status: integerOrNull(400, 403, 'What HAProxy answers itself, 400 or 403; null: the request is passed on.'),
  upstreams_in_force: flag(
    'False: a front end of the live configuration that denies blocked addresses lacks rules for upstreams, so the peer is judged there although upstreams are stored. `/health` names the front ends and what they lack.',
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
  summary: 'Explain which address is judged for a request',
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
      },
    },
  },
});
