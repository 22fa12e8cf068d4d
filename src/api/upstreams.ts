import Type, { type Static } from 'typebox';
import { codes } from '../errors/catalogue.ts';
import { changeCodes, durable, report, runtimeReportFields, sentAddress } from './changes.ts';
import {
  ReloadAnswer,
  ReloadMembers,
  ReplaceConsentQuery,
  reloadCodes,
  reloadExample,
  reloadMembers,
} from './configuration.ts';
import { operation } from './operation.ts';
import { CommittedMembers } from './problem.ts';
import {
  count,
  countOrNull,
  described,
  flag,
  flagOrNull,
  lineOfTextOrNull,
  listOf,
  model,
  oneOf,
  plainName,
  requestFlag,
  requestModel,
  text,
  textOrNull,
  texts,
  time,
  timeOrNull,
} from './schema.ts';

const tag = 'Upstreams';
const mostNetworks = 1_000;

const params = Type.Object({ name: plainName('The name of the upstream.', 'lb') });

const headers = ['x-forwarded-for', 'cf-connecting-ip', 'true-client-ip', 'fastly-client-ip', 'x-real-ip'] as const;
const presets = ['cloudflare', 'fastly', 'cloudfront'] as const;
const headerText =
  'The request header in which it names its client; null: only by PROXY protocol. It must set the header in every request, and overwrite or append to what its client sent.';
const chainText =
  'Of `x-forwarded-for`: false takes the last address; true walks on to the left as long as the address belongs to an upstream with this setting, at most five steps.';
const proxyProtocolText =
  'Its connections begin with a PROXY protocol header, which is required then; others of its connections are closed. Of an address that it names, a header is read only if that address belongs to an upstream.';
const invalidText =
  'What follows from a value that is not one address. `reject`: the request is answered with 400. `judge_upstream`: it is treated like a request without the header, so the client stays unknown and is served.';
const noteText = 'A note; null: none.';
const presetText = 'The CDN that it is; null: none.';

const UpstreamRequest = requestModel(
  'UpstreamRequest',
  'How a proxy in front of HAProxy names its client.',
  'a JSON object with networks and header, or with preset',
  {
    preset: Type.Optional(
      oneOf(
        presets,
        'Takes the header of this CDN. Not together with `chain`, and with `header` only for `fastly`, which requires it: Fastly passes on `Fastly-Client-IP` as its client sent it unless VCL of yours sets it.',
      ),
    ),
    networks: Type.Optional(
      Type.Array(sentAddress('An IP address or network.'), {
        minItems: 1,
        maxItems: mostNetworks,
        description:
          'From where it connects: addresses and networks, at least a /10 (IPv6: /24). Every address in them can claim to act for any client, so name only its own. Required without `preset`; with one, if it is absent, the networks of an existing upstream of the same preset stay, and any other upstream gets the list that proxy-manager has. For `cloudfront` there is none: a new upstream starts without networks, and one that had another preset, or none, is rejected (109).',
        mustBe: `a list of 1 to ${mostNetworks} IP addresses and networks`,
      }),
    ),
    header: Type.Optional(
      Type.Unsafe<string | null>({
        type: ['string', 'null'],
        description: `${headerText} One of ${headers.map((header) => `\`${header}\``).join(', ')}.`,
        mustBe: 'the name of a header, or null',
        documentedAs: { enum: [...headers, null] },
      }),
    ),
    chain: requestFlag(`${chainText} Default false.`),
    proxy_protocol: requestFlag(`${proxyProtocolText} Default false.`),
    on_invalid: Type.Optional(oneOf(['reject', 'judge_upstream'], `${invalidText} Default \`reject\`.`)),
    note: Type.Optional(lineOfTextOrNull(0, 500, noteText)),
  },
);
export type UpstreamRequest = Static<typeof UpstreamRequest>;

const fields = {
  name: text('The name of the upstream.'),
  preset: textOrNull(presetText),
  networks: texts('Its addresses and networks, in the order of addresses.'),
  addresses: text(
    'How many addresses these are, such as `256` or `2^96`. Each of them can claim to act for any client.',
  ),
  header: textOrNull(headerText),
  chain: flag(chainText),
  proxy_protocol: flag(proxyProtocolText),
  on_invalid: oneOf(['reject', 'judge_upstream'], invalidText),
  note: textOrNull(noteText),
  created_at: time('When it was created.'),
  updated_at: time('When it was last changed.'),
  networks_at: time('When its networks were last given.'),
  blocked_inside: texts(
    'Blocked entries inside its networks, the first 100. As the upstream itself is served, they no longer deny what it sends, except for clients that it names.',
  ),
  blocked_inside_total: count('How many these are.'),
};

/** As stored. */
const UpstreamRecord = Type.Object(fields);
export type UpstreamRecord = Static<typeof UpstreamRecord>;

const UpstreamReport = model('Upstream', 'A proxy in front of HAProxy, whose word about the client is taken.', {
  ...fields,
  unnamed_requests: countOrNull(
    'How many requests named no client and were served without a check of the blocked map, counted by the current worker; an address that sends none for a day is forgotten. Health checks of a load balancer are such requests; if the number grows with the traffic, the header is missing. Null: the worker did not answer, or its configuration does not count all of them.',
  ),
  last_unnamed_at: timeOrNull('When the last of them came; null: none, or unknown.'),
});
export type UpstreamReport = Static<typeof UpstreamReport>;

const Upstreams = model('Upstreams', 'All upstreams.', {
  items: listOf(UpstreamReport, 'The entries.'),
  total: count('How many there are.'),
  in_force: flagOrNull(
    'True: every worker holds them, and HAProxy checks the clients that they name. False: not, or not in every worker. Null: not known.',
  ),
  reason: textOrNull('Why they are not in force, or why that is not known; null if they are.'),
});
export type UpstreamList = Static<typeof Upstreams>;

const reload = Type.Optional(
  described(
    ReloadAnswer,
    'The safe reload that added the rules of upstreams to the configuration, or removed them. Absent: there were upstreams before and afterwards, so no reload was needed.',
  ),
);

const UpstreamAnswer = model('UpstreamAnswer', 'The upstream as it is now, and whether the workers hold it.', {
  ...fields,
  reload,
  ...runtimeReportFields,
});
export type UpstreamAnswer = Static<typeof UpstreamAnswer>;

const UpstreamRemoved = model('UpstreamRemoved', 'What was removed, and whether the workers no longer hold it.', {
  name: fields.name,
  reload,
  ...runtimeReportFields,
});
export type UpstreamRemoved = Static<typeof UpstreamRemoved>;

const TakenNetwork = model('TakenNetwork', 'A network that belongs to another upstream.', {
  network: text('The network.'),
  upstream: text('The name of its upstream.'),
});
const UpstreamConflictMembers = model(
  'UpstreamConflictMembers',
  'Why the upstream is not set; the members depend on `code`.',
  { ...ReloadMembers.properties, taken: Type.Optional(listOf(TakenNetwork, 'The networks (1002).')) },
);
const UpstreamFailureMembers = model(
  'UpstreamFailureMembers',
  'What was done before the change failed; the members depend on how far it got.',
  { ...ReloadMembers.properties, ...CommittedMembers.properties },
);
const members = {
  ...reloadMembers,
  409: UpstreamConflictMembers,
  500: CommittedMembers,
  503: UpstreamFailureMembers,
};

const lb = {
  name: 'lb',
  preset: null,
  networks: ['10.0.3.0/24'],
  addresses: '256',
  header: 'x-forwarded-for',
  chain: false,
  proxy_protocol: false,
  on_invalid: 'reject',
  note: 'the load balancer',
  created_at: '2026-11-20T12:00:00.000Z',
  updated_at: '2026-11-20T12:00:00.000Z',
  networks_at: '2026-11-20T12:00:00.000Z',
  blocked_inside: [],
  blocked_inside_total: 0,
} satisfies UpstreamRecord;
const lbNow = {
  ...lb,
  unnamed_requests: 12,
  last_unnamed_at: '2026-11-20T12:00:00.000Z',
} satisfies UpstreamReport;
const path = { name: 'lb' };

export const listUpstreams = operation({
  id: 'listUpstreams',
  method: 'GET',
  path: '/api/upstreams',
  access: 'read',
  audit: null,
  tag,
  summary: 'List the upstreams',
  description: 'All of them, in the order of their names, and whether they are in force.',
  answers: { 200: { description: 'The upstreams.', schema: Upstreams } },
  examples: { all: { summary: 'All', answer: { items: [lbNow], total: 1, in_force: true, reason: null } } },
});

export const getUpstream = operation({
  id: 'getUpstream',
  method: 'GET',
  path: '/api/upstreams/:name',
  access: 'read',
  audit: null,
  tag,
  summary: 'Get one upstream',
  description: 'As it is stored, and what the current worker counted.',
  params,
  answers: { 200: { description: 'The upstream.', schema: UpstreamReport } },
  codes: [codes.NotFound],
  examples: { load_balancer: { summary: 'A load balancer', path, answer: lbNow } },
});

export const setUpstream = operation({
  id: 'setUpstream',
  method: 'PUT',
  path: '/api/upstreams/:name',
  access: 'admin',
  audit: 'set_upstream',
  tag,
  summary: 'Create or replace an upstream',
  description: `HAProxy then checks the client that the upstream names instead of the upstream. Headers of all other peers are neither believed nor forwarded. The change takes effect at once and is verified at every worker like a block; only the first upstream needs a safe reload, which adds the rules to the configuration. If that is rejected (422) or not confirmed (503), nothing is stored. A live configuration that proxy-manager did not render is replaced only with \`replace_configuration=true\` (409, 6020).\n\nPROXY protocol applies to new connections. A network may belong to one upstream only (409, 1002); a narrower one inside it may belong to another.\n\n${durable}`,
  params,
  query: ReplaceConsentQuery,
  body: UpstreamRequest,
  // A thousand networks of 49 characters.
  bodyLimit: 131_072,
  answers: {
    200: { description: 'The upstream is replaced and in force.', schema: UpstreamAnswer },
    201: { description: 'The upstream is created and in force.', schema: UpstreamAnswer },
  },
  codes: [codes.InvalidUpstream, codes.NotUnique, ...changeCodes, ...reloadCodes],
  members,
  examples: {
    load_balancer: {
      summary: 'The first upstream, a load balancer that appends to X-Forwarded-For',
      path,
      body: { networks: ['10.0.3.0/24'], header: 'x-forwarded-for', note: 'the load balancer' },
      status: 201,
      answer: {
        ...lb,
        reload: { ...reloadExample, reasons: ['upstream lb set'], changed: true },
        ...report,
      },
    },
    cdn: {
      summary: 'Another one, a CDN, with one blocked address inside',
      path: { name: 'cdn' },
      body: { networks: ['203.0.113.0/24', '2001:db8::/32'], header: 'cf-connecting-ip' },
      status: 201,
      answer: {
        ...lb,
        name: 'cdn',
        networks: ['203.0.113.0/24', '2001:db8::/32'],
        addresses: '2^96',
        header: 'cf-connecting-ip',
        note: null,
        blocked_inside: ['203.0.113.7'],
        blocked_inside_total: 1,
        ...report,
      },
    },
  },
});

export const removeUpstream = operation({
  id: 'removeUpstream',
  method: 'DELETE',
  path: '/api/upstreams/:name',
  access: 'admin',
  audit: 'remove_upstream',
  tag,
  summary: 'Remove an upstream',
  description:
    'HAProxy then checks its addresses like those of any other client, and no longer believes its headers. Without a reload, except for the last upstream: a safe reload removes the rules from the configuration. Needs `replace_configuration=true` under the same condition as creating the first upstream.',
  params,
  query: ReplaceConsentQuery,
  answers: { 200: { description: 'The upstream is removed.', schema: UpstreamRemoved } },
  codes: [codes.NotFound, ...changeCodes, ...reloadCodes],
  members,
  examples: {
    last: {
      summary: 'The last upstream',
      path,
      answer: {
        name: 'lb',
        reload: { ...reloadExample, reasons: ['upstream lb removed'], changed: true },
        ...report,
      },
    },
  },
});

export const upstreamOperations = [listUpstreams, getUpstream, setUpstream, removeUpstream] as const;
