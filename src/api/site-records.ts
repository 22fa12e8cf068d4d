// The records of sites.
import Type, { type Static } from 'typebox';
import { ReloadAnswer, ReloadMembers } from './configuration.ts';
import {
  count,
  described,
  flag,
  listOf,
  model,
  oneOf,
  orNull,
  requestFlag,
  requestModel,
  text,
  textOrNull,
  texts,
  time,
} from './schema.ts';

const mostServers = 100;
const mostNames = 100;

const portBounds = { minimum: 1, maximum: 65_535 };
const addressText = 'A host name or an IP address.';
const portText = 'The TCP port.';
const optionsText = 'How HAProxy uses the server; absent: the defaults.';
const serversText = 'The servers, each with another address or port; none if the site redirects.';
const reload = described(ReloadAnswer, 'The safe reload that put it into force.');

const optionFields = {
  weight: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 256,
      description: 'The share of requests relative to the other servers; 0: none.',
    }),
  ),
  backup: Type.Optional(flag('Used only if every other server is down.')),
  max_connections: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'The maximum number of simultaneous connections.' }),
  ),
  check: Type.Optional(flag('Whether its health is checked; absent: true.')),
  ssl: Type.Optional(
    oneOf(
      ['none', 'verify', 'insecure'],
      'TLS to the server: `none`, `verify` (its certificate is verified) or `insecure` (any certificate).',
    ),
  ),
};

const ServerOptions = model('ServerOptions', 'How HAProxy uses a server.', optionFields);

/** `domain/site.ts` parses the options (error 106). */
const ServerOptionsRequest = model(
  'ServerOptionsRequest',
  'How HAProxy uses a server.',
  { ...optionFields, check: Type.Optional(Type.Boolean({ ...optionFields.check, default: true })) },
  { additionalProperties: false },
);

const ServerRequest = requestModel('ServerRequest', 'One server of a site.', 'an object with address and port', {
  address: Type.String({
    description: addressText,
    mustBe: 'a host name or an IP address',
    documentedAs: { minLength: 1, maxLength: 253, pattern: '^[A-Za-z0-9.:/-]+$' },
  }),
  port: Type.Integer({ ...portBounds, description: portText, mustBe: 'a whole number from 1 to 65535' }),
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

const namesText =
  'Further names: host names, and wildcards such as `*.example.com`, which cover one label. An exact name wins over a wildcard. A name belongs to one site (409, 6054).';
const canonicalText =
  'The domain or one of the names: requests for the other host names of the site are redirected to it, with the same scheme, port and path, by 301 (GET and HEAD) or 308. Null: none.';
const enabledText =
  'False: the names stay those of this site, and HAProxy answers them as it answers a name without a site (404).';
const redirectText = 'Sends all requests to another address; such a site has no servers. Null: the servers answer.';
const redirectStatuses = [301, 302, 307, 308] as const;
type RedirectStatus = (typeof redirectStatuses)[number];

const toText = 'An http or https URL. It may not be one that this or another site redirects again.';
const statusRules = {
  type: 'integer',
  enum: redirectStatuses,
  description: 'The status of the redirect.',
  mustBe: '301, 302, 307 or 308',
};
const keepPathText = 'Whether path and query of the request are appended to `to`.';

/** `domain/site-redirect.ts` parses `to` (error 6055). */
const RedirectRequest = model(
  'RedirectRequest',
  redirectText,
  {
    to: Type.String({
      description: toText,
      mustBe: 'a URL such as https://www.example.com',
      documentedAs: { minLength: 8, maxLength: 2000, pattern: '^[Hh][Tt][Tt][Pp][Ss]?://[A-Za-z0-9[]' },
    }),
    status: Type.Optional(Type.Unsafe<RedirectStatus>({ ...statusRules, default: 301 })),
    keep_path: Type.Optional(Type.Boolean({ description: keepPathText, mustBe: 'true or false', default: true })),
  },
  { additionalProperties: false, mustBe: 'an object with to, or null' },
);

/** `domain/site-names.ts` parses the names (error 6055). */
const nameRules = { minLength: 1, maxLength: 253, pattern: '^([*][.])?[A-Za-z0-9.-]+$' };

export const SiteRequest = requestModel(
  'SiteRequest',
  'What HAProxy serves for this domain: `servers`, or a `redirect`. An absent member has its default, also when a site is replaced, unless the query says `keep_absent=true`.',
  'a JSON object with servers or redirect',
  {
    servers: Type.Optional(
      Type.Array(ServerRequest, {
        maxItems: mostServers,
        description: serversText,
        mustBe: `a list of 1 to ${mostServers} servers`,
        documentedAs: { uniqueItems: true },
      }),
    ),
    names: Type.Optional(
      Type.Array(
        Type.String({ description: 'A name.', mustBe: 'a host name or a wildcard', documentedAs: nameRules }),
        {
          maxItems: mostNames,
          description: namesText,
          mustBe: `a list of at most ${mostNames} names`,
          documentedAs: { uniqueItems: true },
        },
      ),
    ),
    canonical: Type.Optional(
      Type.Unsafe<string | null>({ type: ['string', 'null'], description: canonicalText, mustBe: 'a name or null' }),
    ),
    enabled: requestFlag(`${enabledText} Absent: true.`),
    redirect: Type.Optional(
      Type.Unsafe<Static<typeof RedirectRequest> | null>({
        ...RedirectRequest,
        type: ['object', 'null'],
        fieldSays: redirectText,
      }),
    ),
  },
);
export type SiteRequest = Static<typeof SiteRequest>;

const Server = model('Server', 'One server of a site.', {
  address: text(addressText),
  port: Type.Integer({ ...portBounds, description: portText }),
  options: Type.Optional(described(ServerOptions, optionsText)),
});

const Redirect = model('Redirect', 'Where a site redirects to.', {
  to: text(toText),
  status: Type.Unsafe<RedirectStatus>(statusRules),
  keep_path: flag(keepPathText),
});

const siteFields = {
  domain: text('The host name of the site, in lower case.'),
  servers: listOf(Server, serversText),
  names: texts(namesText),
  canonical: textOrNull(canonicalText),
  enabled: flag(enabledText),
  redirect: orNull(Redirect, redirectText),
  created_at: time('When it was created.'),
  updated_at: time('When it was last changed.'),
};

export const SiteRecord = model('Site', 'A site as it is stored.', siteFields);
export type SiteRecord = Static<typeof SiteRecord>;

export const Sites = model('Sites', 'All sites.', {
  items: listOf(SiteRecord, 'The entries.'),
  total: count('How many there are.'),
});

export const SiteAnswer = model('SiteAnswer', 'The site as it is now, and the reload that put it into force.', {
  ...siteFields,
  served: flag(
    'True: the configuration in force serves the site. False: the site is disabled, or the template does not use the sites.',
  ),
  ignored: listOf(
    oneOf(
      ['names', 'canonical', 'enabled', 'redirect'],
      'A member that is stored, but which the template of the configuration in force does not apply.',
    ),
    'What the template does not apply, because it does not use `names_map`; with the built-in template nothing.',
  ),
  reload,
});
export type SiteAnswer = Static<typeof SiteAnswer>;

export const SiteConflictMembers = model('SiteConflictMembers', 'The members depend on `code`.', {
  ...ReloadMembers.properties,
  site: Type.Optional(text('The site that has the name (6054).')),
});

export const SiteRemoved = model('SiteRemoved', 'The name of the site, and the reload that removed it.', {
  domain: siteFields.domain,
  reload,
});
export type SiteRemoved = Static<typeof SiteRemoved>;

const ServerState = model('ServerState', 'One server as HAProxy sees it.', {
  address: text(addressText),
  port: Type.Integer({ ...portBounds, description: portText }),
  status: textOrNull(
    'The status in HAProxy (`UP`, `DOWN`, `MAINT`, `no check`, …); null: HAProxy did not answer, or the site is disabled.',
  ),
  check: textOrNull('The result of the last health check (`L4OK`, `L4CON`, …); null without checks.'),
  resolved_address: textOrNull('The address and port in use; null while the name is not resolved.'),
});
export type ServerState = Static<typeof ServerState>;

export const ServerStates = model('ServerStates', 'The servers of a site as HAProxy sees them.', {
  items: listOf(ServerState, 'The entries.'),
});
