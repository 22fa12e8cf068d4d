import Type from 'typebox';
import { codes } from '../../errors/catalogue.ts';
import { ReloadMembers } from '../schemas/problem.ts';
import type { FieldDocs, OperationDocs } from './operation-doc.ts';
import { reloadCodes, reloadExample } from './reload.ts';

const site = {
  domain: 'shop.example.com',
  servers: [
    { address: '10.0.0.11', port: 8080, options: { check: true } },
    { address: '10.0.0.12', port: 8080, options: { check: true, backup: true } },
  ],
  created_at: '2026-11-20T12:00:00.000Z',
  updated_at: '2026-11-20T12:00:00.000Z',
};
const path = { domain: 'shop.example.com' };
const failure = { 409: ReloadMembers, 422: ReloadMembers, 503: ReloadMembers };

export const operations: OperationDocs = {
  'GET /api/sites': {
    id: 'listSites',
    tag: 'Sites',
    summary: 'List the sites',
    description: 'All of them, by their names.',
    answers: { 200: { description: 'The sites.' } },
    codes: [codes.Attached],
    examples: { all: { summary: 'All', answer: { items: [site], total: 1 } } },
  },
  'GET /api/sites/:domain': {
    id: 'getSite',
    tag: 'Sites',
    summary: 'Look at one site',
    description: 'As it is stored, and so as it is live.',
    answers: { 200: { description: 'The site.' } },
    codes: [codes.NotFound, codes.Attached],
    examples: { site: { summary: 'A site with two servers', path, answer: site } },
  },
  'PUT /api/sites/:domain': {
    id: 'setSite',
    tag: 'Sites',
    summary: 'Set a site',
    description:
      'New, or in the place of the one of this name. It is live by a safe reload before the answer. One that would make the configuration invalid is 422, and one whose reload was not confirmed 503; then nothing is stored, and what was live before is live. A live configuration that proxy-manager did not render is replaced only with `replace_configuration=true` (409, 6020).',
    answers: {
      200: { description: 'The site was there; this is what is live now.' },
      201: { description: 'The site is live.' },
    },
    codes: [codes.InvalidServer, ...reloadCodes],
    members: failure,
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
  },
  'DELETE /api/sites/:domain': {
    id: 'removeSite',
    tag: 'Sites',
    summary: 'Remove a site',
    description:
      'Its name is answered with 404 by the proxy from then on. Live by a safe reload before the answer. Asks for `replace_configuration=true` as setting one does.',
    answers: { 200: { description: 'The site is gone.' } },
    codes: [codes.NotFound, ...reloadCodes],
    members: failure,
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
  },
  'GET /api/sites/:domain/servers': {
    id: 'listServers',
    tag: 'Sites',
    summary: "Tell each server's live state",
    description: 'As the proxy sees it now. Where the proxy cannot be asked, `status` is null.',
    answers: { 200: { description: 'The servers in the order of the site.' } },
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
  },
};

/** Judged by `domain/server-options.ts`, which says the same. */
export const replacements: Readonly<Record<string, object>> = {
  ServerOptionsRequest: Type.Object(
    {
      weight: Type.Optional(Type.Integer({ minimum: 0, maximum: 256 })),
      backup: Type.Optional(Type.Boolean()),
      max_connections: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
      check: Type.Optional(Type.Boolean({ default: true })),
      ssl: Type.Optional(Type.Unsafe<string>({ type: 'string', enum: ['none', 'verify', 'insecure'] })),
    },
    { additionalProperties: false },
  ),
};

export const models: FieldDocs = {
  SiteRequest: 'What the proxy is to serve under this name.',
  ServerRequest: 'One server of a site.',
  ServerOptionsRequest: 'How the proxy treats a server.',
  Site: 'A site as it is stored.',
  Sites: 'All sites.',
  SiteAnswer: 'The site as it is now, and the reload that made it live.',
  SiteRemoved: 'The name of the site, and the reload that took it away.',
  Server: 'One server of a site.',
  ServerOptions: 'How the proxy treats a server.',
  ServerStates: 'The servers of a site as the proxy sees them.',
  ServerState: 'One server as the proxy sees it.',
};

export const fields: FieldDocs = {
  '*.domain': 'The host name of the site, in lower case.',
  '*.servers': 'The servers, at least one. Two never have the same address and port.',
  '*.updated_at': 'When it was last changed.',
  'SiteAnswer.served':
    'The configuration in force has something for the site; false: it is stored, and the template does not use the sites.',
  '*.reload': 'The safe reload that made it live.',
  '*.address': 'A host name or an IP address.',
  '*.port': 'The TCP port.',
  '*.options': 'How the proxy treats it; absent: as the defaults say.',
  '*.weight': 'Share of the requests against the others; 0 takes none.',
  '*.backup': 'Used only when every other server is down.',
  '*.max_connections': 'How many connections it takes at once.',
  '*.check': 'Whether its health is checked; true where nobody said.',
  '*.ssl': 'TLS to the server: `none`, with its certificate verified, or with any certificate (`insecure`).',
  'ServerState.status':
    "The proxy's own word (`UP`, `DOWN`, `MAINT`, `no check`, …); null when the proxy could not be asked.",
  'ServerState.check': 'What the last health check said (`L4OK`, `L4CON`, …); null without checks.',
  'ServerState.resolved_address': 'Address and port in use; null while a name is not resolved.',
};
