import Type, { type Static } from 'typebox';
import { codes } from '../errors/catalogue.ts';
import { ReloadAnswer, ReplaceConsentQuery, reloadCodes, reloadExample, reloadMembers } from './configuration.ts';
import { operation } from './operation.ts';
import {
  count,
  described,
  flag,
  listOf,
  model,
  oneOf,
  pathText,
  requestModel,
  text,
  textOrNull,
  time,
} from './schema.ts';

const tag = 'Sites';
const mostServers = 100;

const params = Type.Object({ domain: pathText });

const portBounds = { minimum: 1, maximum: 65_535 };
const addressText = 'A host name or an IP address.';
const portText = 'The TCP port.';
const optionsText = 'How the proxy treats it; absent: as the defaults say.';
const serversText = 'The servers, at least one. Two never have the same address and port.';
const reload = described(ReloadAnswer, 'The safe reload that made it live.');

const optionFields = {
  weight: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 256,
      description: 'Share of the requests against the others; 0 takes none.',
    }),
  ),
  backup: Type.Optional(flag('Used only when every other server is down.')),
  max_connections: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'How many connections it takes at once.' }),
  ),
  check: Type.Optional(flag('Whether its health is checked; true where nobody said.')),
  ssl: Type.Optional(
    oneOf(
      ['none', 'verify', 'insecure'],
      'TLS to the server: `none`, with its certificate verified, or with any certificate (`insecure`).',
    ),
  ),
};

const ServerOptions = model('ServerOptions', 'How the proxy treats a server.', optionFields);

/** The form of what `domain/site.ts` judges, for the document. */
const ServerOptionsRequest = model(
  'ServerOptionsRequest',
  'How the proxy treats a server.',
  { ...optionFields, check: Type.Optional(Type.Boolean({ ...optionFields.check, default: true })) },
  { additionalProperties: false },
);

const ServerRequest = requestModel('ServerRequest', 'One server of a site.', 'an object with address and port', {
  address: Type.String({ description: addressText, mustBe: 'a host name or an IP address' }),
  port: Type.Integer({ ...portBounds, description: portText, mustBe: 'a whole number from 1 to 65535' }),
  // The closed list of options has a parser of its own, which names what it takes.
  options: Type.Optional(
    Type.Unsafe<object>({
      type: 'object',
      documentedAs: ServerOptionsRequest,
      fieldSays: optionsText,
      mustBe: 'an object of server options',
    }),
  ),
});

export type ServerRequest = Static<typeof ServerRequest>;

const SiteRequest = requestModel(
  'SiteRequest',
  'What the proxy is to serve under this name.',
  'a JSON object with servers',
  {
    servers: Type.Array(ServerRequest, {
      minItems: 1,
      maxItems: mostServers,
      description: serversText,
      mustBe: `a list of 1 to ${mostServers} servers`,
    }),
  },
);
export type SiteRequest = Static<typeof SiteRequest>;

const Server = model('Server', 'One server of a site.', {
  address: text(addressText),
  port: Type.Integer({ ...portBounds, description: portText }),
  options: Type.Optional(described(ServerOptions, optionsText)),
});

const siteFields = {
  domain: text('The host name of the site, in lower case.'),
  servers: listOf(Server, serversText),
  created_at: time('When it was made.'),
  updated_at: time('When it was last changed.'),
};

export const SiteRecord = model('Site', 'A site as it is stored.', siteFields);
export type SiteRecord = Static<typeof SiteRecord>;

const Sites = model('Sites', 'All sites.', {
  items: listOf(SiteRecord, 'The entries.'),
  total: count('How many there are in all.'),
});

export const SiteAnswer = model('SiteAnswer', 'The site as it is now, and the reload that made it live.', {
  ...siteFields,
  served: flag(
    'The configuration in force has something for the site; false: it is stored, and the template does not use the sites.',
  ),
  reload,
});
export type SiteAnswer = Static<typeof SiteAnswer>;

const SiteRemoved = model('SiteRemoved', 'The name of the site, and the reload that took it away.', {
  domain: siteFields.domain,
  reload,
});
export type SiteRemoved = Static<typeof SiteRemoved>;

const ServerState = model('ServerState', 'One server as the proxy sees it.', {
  address: text(addressText),
  port: Type.Integer({ ...portBounds, description: portText }),
  status: textOrNull(
    "The proxy's own word (`UP`, `DOWN`, `MAINT`, `no check`, …); null when the proxy could not be asked.",
  ),
  check: textOrNull('What the last health check said (`L4OK`, `L4CON`, …); null without checks.'),
  resolved_address: textOrNull('Address and port in use; null while a name is not resolved.'),
});
export type ServerState = Static<typeof ServerState>;

const ServerStates = model('ServerStates', 'The servers of a site as the proxy sees them.', {
  items: listOf(ServerState, 'The entries.'),
});

const site = {
  domain: 'shop.example.com',
  servers: [
    { address: '10.0.0.11', port: 8080, options: { check: true } },
    { address: '10.0.0.12', port: 8080, options: { check: true, backup: true } },
  ],
  created_at: '2026-11-20T12:00:00.000Z',
  updated_at: '2026-11-20T12:00:00.000Z',
} satisfies SiteRecord;
const path = { domain: 'shop.example.com' };
export const listSites = operation({
  id: 'listSites',
  method: 'GET',
  path: '/api/sites',
  access: 'read',
  audit: null,
  tag,
  summary: 'List the sites',
  description: 'All of them, by their names.',
  answers: { 200: { description: 'The sites.', schema: Sites } },
  codes: [codes.Attached],
  examples: { all: { summary: 'All', answer: { items: [site], total: 1 } } },
});

export const getSite = operation({
  id: 'getSite',
  method: 'GET',
  path: '/api/sites/:domain',
  access: 'read',
  audit: null,
  tag,
  summary: 'Look at one site',
  description: 'As it is stored, and so as it is live.',
  params,
  answers: { 200: { description: 'The site.', schema: SiteRecord } },
  codes: [codes.NotFound, codes.Attached],
  examples: { site: { summary: 'A site with two servers', path, answer: site } },
});

export const setSite = operation({
  id: 'setSite',
  method: 'PUT',
  path: '/api/sites/:domain',
  access: 'admin',
  audit: 'set_site',
  tag,
  summary: 'Set a site',
  description:
    'New, or in the place of the one of this name. It is live by a safe reload before the answer. One that would make the configuration invalid is 422, and one whose reload was not confirmed 503; then nothing is stored, and what was live before is live. A live configuration that proxy-manager did not render is replaced only with `replace_configuration=true` (409, 6020).',
  params,
  query: ReplaceConsentQuery,
  body: SiteRequest,
  // A hundred servers with the longest names and every option are 37 KiB, and 69 when generously indented.
  bodyLimit: 131_072,
  answers: {
    200: { description: 'The site was there; this is what is live now.', schema: SiteAnswer },
    201: { description: 'The site is live.', schema: SiteAnswer },
  },
  codes: [codes.InvalidServer, ...reloadCodes],
  members: reloadMembers,
  examples: {
    two_servers: {
      summary: 'Two servers, the second a backup',
      path,
      body: {
        servers: [
          { address: '10.0.0.11', port: 8080 },
          { address: '10.0.0.12', port: 8080, options: { backup: true } },
        ],
      },
      status: 201,
      answer: {
        ...site,
        served: true,
        reload: { ...reloadExample, reasons: ['site shop.example.com set'], changed: true },
      },
    },
    tls: {
      summary: 'One server over TLS, with its certificate verified',
      path,
      body: { servers: [{ address: 'app.example.com', port: 443, options: { ssl: 'verify', weight: 10 } }] },
      status: 200,
      answer: {
        ...site,
        served: true,
        servers: [{ address: 'app.example.com', port: 443, options: { check: true, ssl: 'verify', weight: 10 } }],
        reload: { ...reloadExample, reasons: ['site shop.example.com set'], changed: true },
      },
    },
  },
});

export const removeSite = operation({
  id: 'removeSite',
  method: 'DELETE',
  path: '/api/sites/:domain',
  access: 'admin',
  audit: 'remove_site',
  tag,
  summary: 'Remove a site',
  description:
    'Its name is answered with 404 by the proxy from then on. Live by a safe reload before the answer. Asks for `replace_configuration=true` as setting one does.',
  params,
  query: ReplaceConsentQuery,
  answers: { 200: { description: 'The site is gone.', schema: SiteRemoved } },
  codes: [codes.NotFound, ...reloadCodes],
  members: reloadMembers,
  examples: {
    site: {
      summary: 'A site',
      path,
      answer: {
        domain: 'shop.example.com',
        reload: { ...reloadExample, reasons: ['site shop.example.com removed'], changed: true },
      },
    },
  },
});

export const listServers = operation({
  id: 'listServers',
  method: 'GET',
  path: '/api/sites/:domain/servers',
  access: 'read',
  audit: null,
  tag,
  summary: "Tell each server's live state",
  description: 'As the proxy sees it now. Where the proxy cannot be asked, `status` is null.',
  params,
  answers: { 200: { description: 'The servers in the order of the site.', schema: ServerStates } },
  codes: [codes.NotFound, codes.Attached],
  examples: {
    states: {
      summary: 'One server up, one down',
      path,
      answer: {
        items: [
          { address: '10.0.0.11', port: 8080, status: 'UP', check: 'L4OK', resolved_address: '10.0.0.11:8080' },
          { address: '10.0.0.12', port: 8080, status: 'DOWN', check: 'L4CON', resolved_address: '10.0.0.12:8080' },
        ],
      },
    },
  },
});

export const siteOperations = [listSites, getSite, setSite, removeSite, listServers] as const;
