import Type from 'typebox';
import { codes } from '../errors/catalogue.ts';
import { ReplaceConsentQuery, reloadCodes, reloadExample, reloadMembers } from './configuration.ts';
import { operation } from './operation.ts';
import { queryFlag } from './schema.ts';
import {
  ServerStates,
  SiteAnswer,
  SiteConflictMembers,
  SiteRecord,
  SiteRemoved,
  SiteRequest,
  Sites,
} from './site-records.ts';

const tag = 'Sites';
/** `domain/site.ts` parses it (error 105). */
const params = Type.Object({
  domain: Type.String({
    description: 'The host name of the site, without scheme and port. Upper case is read as lower case.',
    documentedAs: { minLength: 1, maxLength: 253, pattern: '^[A-Za-z0-9.-]+$' },
    examples: ['shop.example.com'],
  }),
});

export { params as siteParams };

const keepAbsent = {
  keep_absent: queryFlag(
    'Members that the body does not name keep their value, whatever another client changed meanwhile. Without it they get their default.',
  ),
};

export const KeepAbsentQuery = Type.Object(keepAbsent, { additionalProperties: false });
const SetSiteQuery = Type.Object({ ...ReplaceConsentQuery.properties, ...keepAbsent }, { additionalProperties: false });

const site = {
  domain: 'shop.example.com',
  servers: [
    { address: '10.0.0.11', port: 8080, options: { check: true } },
    { address: '10.0.0.12', port: 8080, options: { check: true, backup: true } },
  ],
  names: [],
  canonical: null,
  enabled: true,
  redirect: null,
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
  description: 'All of them, in the order of their names.',
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
  summary: 'Get one site',
  description: 'As it is stored, which is also what is in force.',
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
  summary: 'Create or replace a site',
  description:
    'The site is in force, by a safe reload, before the response. What the body does not name has its default, also if the site exists; with `keep_absent=true` it is kept, and a site that does not exist needs `servers` or a `redirect` (404). If it would make the configuration invalid (422), or the reload is not confirmed (503), nothing is stored and the previous configuration stays in force. A live configuration that proxy-manager did not render is replaced only with `replace_configuration=true` (409, 6020).',
  params,
  query: SetSiteQuery,
  body: SiteRequest,
  // A hundred servers with the longest names and every option take 37 KiB, 69 if generously indented; a hundred names 27.
  bodyLimit: 131_072,
  answers: {
    200: { description: 'The site is replaced and in force.', schema: SiteAnswer },
    201: { description: 'The site is created and in force.', schema: SiteAnswer },
  },
  codes: [codes.NotFound, codes.InvalidServer, codes.InvalidSite, codes.NameOfAnotherSite, ...reloadCodes],
  members: { ...reloadMembers, 409: SiteConflictMembers },
  examples: {
    two_servers: {
      summary: 'Two servers, the second as a backup',
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
        ignored: [],
        reload: { ...reloadExample, reasons: ['site shop.example.com set'], changed: true },
      },
    },
    tls: {
      summary: 'One server over TLS, with a verified certificate',
      path,
      body: { servers: [{ address: 'app.example.com', port: 443, options: { ssl: 'verify', weight: 10 } }] },
      status: 200,
      answer: {
        ...site,
        served: true,
        ignored: [],
        servers: [{ address: 'app.example.com', port: 443, options: { check: true, ssl: 'verify', weight: 10 } }],
        reload: { ...reloadExample, reasons: ['site shop.example.com set'], changed: true },
      },
    },
    names: {
      summary: 'Several names, of which one is redirected to',
      path,
      body: {
        servers: [{ address: '10.0.0.11', port: 8080 }],
        names: ['www.shop.example.com', '*.shop.example.com'],
        canonical: 'www.shop.example.com',
      },
      status: 200,
      answer: {
        ...site,
        served: true,
        ignored: [],
        servers: [{ address: '10.0.0.11', port: 8080, options: { check: true } }],
        names: ['www.shop.example.com', '*.shop.example.com'],
        canonical: 'www.shop.example.com',
        reload: { ...reloadExample, reasons: ['site shop.example.com set'], changed: true },
      },
    },
    keep: {
      summary: 'One member; the others are kept',
      path,
      query: { keep_absent: true },
      body: { enabled: false },
      status: 200,
      answer: {
        ...site,
        enabled: false,
        served: false,
        ignored: [],
        reload: { ...reloadExample, reasons: ['site shop.example.com set'], changed: true },
      },
    },
    redirect: {
      summary: 'A site that redirects everything',
      path,
      body: { redirect: { to: 'https://www.example.com', status: 308 } },
      status: 200,
      answer: {
        ...site,
        served: true,
        ignored: [],
        servers: [],
        redirect: { to: 'https://www.example.com', status: 308, keep_path: true },
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
    'HAProxy answers requests for its names with 404 afterwards. The removal is in force, by a safe reload, before the response. Needs `replace_configuration=true` under the same condition as creating a site.',
  params,
  query: ReplaceConsentQuery,
  answers: { 200: { description: 'The site is removed.', schema: SiteRemoved } },
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
  summary: "Get the live state of a site's servers",
  description: 'The state that HAProxy reports now. If HAProxy does not answer, `status` is null.',
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
