import Type, { type Static } from 'typebox';
import { mostHstsSeconds } from '../domain/site-tls.ts';
import { codes } from '../errors/catalogue.ts';
import { TlsMembers } from './certificates.ts';
import { changeCodes, changeMembers } from './changes.ts';
import { operation } from './operation.ts';
import { flag, listOf, model, oneOf, orNull, requestFlag, requestModel, text, textOrNull } from './schema.ts';
import { KeepAbsentQuery, siteParams } from './sites.ts';

const tag = 'Sites';

const redirectText =
  '`auto`: requests over plain HTTP are redirected to https (301, for other methods than GET and HEAD 308), as long as a certificate for the name is served. `off`: they are answered.';
const hstsText =
  'HSTS: browsers use https alone for the site. The header is sent over https, as long as a certificate for the name is served. Null: it is not sent. A browser that has it rejects an invalid certificate without a way around.';
const maxAgeText = 'For how many seconds. 0: browsers forget it.';
const subdomainsText = 'Whether it includes every name below the site.';
const preloadText =
  'Whether browsers may contain the name as a default. Requires `include_subdomains` and a `max_age` of a year; hard to undo.';

const Hsts = model('Hsts', 'HTTP Strict Transport Security, RFC 6797.', {
  max_age: Type.Integer({ minimum: 0, maximum: mostHstsSeconds, description: maxAgeText }),
  include_subdomains: flag(subdomainsText),
  preload: flag(preloadText),
});

const HstsRequest = requestModel(
  'HstsRequest',
  'HTTP Strict Transport Security, RFC 6797.',
  'an object with max_age, or null',
  {
    max_age: Type.Integer({
      minimum: 0,
      maximum: mostHstsSeconds,
      description: maxAgeText,
      mustBe: `a whole number from 0 to ${mostHstsSeconds}`,
    }),
    include_subdomains: requestFlag(`${subdomainsText} Default false.`),
    preload: requestFlag(`${preloadText} Default false.`),
  },
);

const SiteTlsRequest = requestModel(
  'SiteTlsRequest',
  'What the site wants of https. An absent field is switched off, unless the query says `keep_absent=true`.',
  'a JSON object with redirect and hsts',
  {
    redirect: Type.Optional(oneOf(['auto', 'off'], `${redirectText} Default \`off\`.`)),
    hsts: Type.Optional(
      Type.Unsafe<Static<typeof HstsRequest> | null>({
        ...HstsRequest,
        type: ['object', 'null'],
        fieldSays: `${hstsText} Default null.`,
      }),
    ),
  },
);
export type SiteTlsRequest = Static<typeof SiteTlsRequest>;

const fields = {
  domain: text('The host name of the site, in lower case.'),
  redirect: oneOf(['auto', 'off'], redirectText),
  hsts: orNull(Hsts, hstsText),
  tls_enabled: flag(
    'False: HAProxy serves no TLS, because `PROXY_MANAGER_HTTPS_BIND` is empty. Then nothing of this is in force.',
  ),
  certificate: textOrNull('The id of the certificate for the name; null: there is none.'),
  names_without_certificate: listOf(Type.String(), 'The names of the site for which there is no certificate.'),
  in_force: flag('True: HAProxy does what `redirect` and `hsts` say.'),
  reason: textOrNull('Why it is not in force; null if it is.'),
};

const SiteTls = model('SiteTls', 'What the site wants of https, and whether that is in force.', fields);
export type SiteTlsRecord = Static<typeof SiteTls>;

const SiteTlsAnswer = model('SiteTlsAnswer', 'What the site wants of https, and whether the workers hold it.', {
  ...fields,
  runtime_updated: flag('True: every worker was read back to hold it. False: see `reason`.'),
  reload_scheduled: flag('A reload is scheduled, because the current worker could not be verified.'),
});
export type SiteTlsAnswer = Static<typeof SiteTlsAnswer>;

const path = { domain: 'shop.example.com' };
const record = {
  domain: 'shop.example.com',
  redirect: 'auto',
  hsts: { max_age: 31_536_000, include_subdomains: false, preload: false },
  tls_enabled: true,
  certificate: 'c-7f3kq2m5xa',
  names_without_certificate: [],
  in_force: true,
  reason: null,
} satisfies SiteTlsRecord;
const answer = { ...record, runtime_updated: true, reload_scheduled: false } satisfies SiteTlsAnswer;

export const getSiteTls = operation({
  id: 'getSiteTls',
  method: 'GET',
  path: '/api/sites/:domain/tls',
  access: 'read',
  audit: null,
  tag,
  summary: 'Get the TLS settings of a site',
  description: 'Whether plain HTTP is redirected to https, whether HSTS is sent, and whether that is in force.',
  params: siteParams,
  answers: { 200: { description: 'The settings.', schema: SiteTls } },
  codes: [codes.NotFound, codes.Attached],
  examples: { site: { summary: 'Redirected, with HSTS for a year', path, answer: record } },
});

export const setSiteTls = operation({
  id: 'setSiteTls',
  method: 'PUT',
  path: '/api/sites/:domain/tls',
  access: 'admin',
  audit: 'set_site_tls',
  tag,
  summary: 'Set the TLS settings of a site',
  description:
    'Takes effect without a reload, verified at every worker like a block. Redirects and HSTS begin when a certificate for the name is proved to be served, and end before it is removed; until then `in_force` is false. Changing the servers of the site keeps these settings.',
  params: siteParams,
  query: KeepAbsentQuery,
  body: SiteTlsRequest,
  answers: { 200: { description: 'The settings are stored.', schema: SiteTlsAnswer } },
  codes: [codes.NotFound, codes.Attached, codes.TlsNotConfigured, ...changeCodes],
  members: { ...changeMembers, 409: TlsMembers },
  examples: {
    redirect: {
      summary: 'Redirect to https, with HSTS for a year',
      path,
      body: { redirect: 'auto', hsts: { max_age: 31_536_000 } },
      status: 200,
      answer,
    },
    keep: {
      summary: 'HSTS alone; the redirect stays as it is',
      path,
      query: { keep_absent: true },
      body: { hsts: { max_age: 31_536_000 } },
      status: 200,
      answer,
    },
    waiting: {
      summary: 'Before the certificate is uploaded',
      path,
      body: { redirect: 'auto' },
      status: 200,
      answer: {
        ...answer,
        hsts: null,
        certificate: null,
        names_without_certificate: ['shop.example.com'],
        in_force: false,
        reason: 'there is no certificate for shop.example.com',
      },
    },
  },
});

export const siteTlsOperations = [getSiteTls, setSiteTls] as const;
