// Parses what an authority sends. All of it is text from outside: it is checked and bounded before anything uses it.
import type { AcmeAuthorization, AcmeOrder, AcmeProblemDocument } from './authority.ts';

export class InvalidReply extends Error {
  constructor(what: string) {
    super(`invalid reply of the authority: ${what}`);
    this.name = 'InvalidReply';
  }
}

const MOST_ITEMS = 200;
const LONGEST_URL = 2_000;
const LONGEST_TEXT = 2_000;
const LONGEST_WORD = 200;
const ACME_ERROR = 'urn:ietf:params:acme:error:';
/** Of RFC 8555, 8.3: base64url, at least 128 bits. */
const TOKEN = /^[A-Za-z0-9_-]{16,200}$/;
/** RFC 9110, 5.6.7, without its obsolete forms. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;
const ORDER_STATES = ['pending', 'ready', 'processing', 'valid', 'invalid'] as const;
const ACCOUNT_STATES = ['valid', 'deactivated', 'revoked'] as const;
const AUTHORIZATION_STATES = ['pending', 'valid', 'invalid', 'deactivated', 'expired', 'revoked'] as const;

type Fields = Readonly<Record<string, unknown>>;

export interface Directory {
  readonly newNonce: string;
  readonly newAccount: string;
  readonly newOrder: string;
  readonly renewalInfo: string | null;
  readonly termsOfService: string | null;
  readonly externalAccountRequired: boolean;
  readonly profiles: ReadonlyMap<string, string>;
}

/** RFC 8555, 7.1.1; RFC 9773, 3; profiles of draft-ietf-acme-profiles. */
export function directoryOf(body: string): Directory {
  const fields = objectOf(body, 'the directory');
  const meta = isFields(fields['meta']) ? fields['meta'] : {};
  const profiles = isFields(meta['profiles']) ? Object.entries(meta['profiles']) : [];
  return {
    newNonce: urlOf(fields, 'newNonce'),
    newAccount: urlOf(fields, 'newAccount'),
    newOrder: urlOf(fields, 'newOrder'),
    renewalInfo: optionalUrl(fields, 'renewalInfo'),
    termsOfService: optionalUrl(meta, 'termsOfService'),
    externalAccountRequired: meta['externalAccountRequired'] === true,
    profiles: new Map(profiles.slice(0, MOST_ITEMS).map(([name, text]) => [wordOf(name), shownText(text)])),
  };
}

/** RFC 8555, 7.1.2. */
export function accountOf(body: string): {
  readonly status: (typeof ACCOUNT_STATES)[number];
  /** None: the authority keeps them to itself, or knows none. */
  readonly contacts: readonly string[];
} {
  const fields = objectOf(body, 'an account');
  const { contact } = fields;
  const contacts = Array.isArray(contact) ? contact.filter((one) => typeof one === 'string') : [];
  return { status: memberOf(fields, 'status', ACCOUNT_STATES), contacts };
}

/** RFC 8555, 7.1.3. */
export function orderOf(body: string, url: string, retryAfter: Date | null): AcmeOrder {
  const fields = objectOf(body, 'an order');
  const identifiers = listOf(fields, 'identifiers').map((one) => textOf(isFields(one) ? one : {}, 'value'));
  return {
    url,
    status: memberOf(fields, 'status', ORDER_STATES),
    names: identifiers.map((name) => name.toLowerCase()),
    authorizationUrls: listOf(fields, 'authorizations').map((one) => urlOf({ one }, 'one')),
    finalizeUrl: urlOf(fields, 'finalize'),
    certificateUrl: optionalUrl(fields, 'certificate'),
    expires: optionalTime(fields, 'expires'),
    problem: optionalProblem(fields['error']),
    retryAfter,
  };
}

/** RFC 8555, 7.1.4. */
export function authorizationOf(body: string, url: string, retryAfter: Date | null): AcmeAuthorization {
  const fields = objectOf(body, 'an authorization');
  const challenges = listOf(fields, 'challenges').flatMap((one) => {
    if (!isFields(one)) throw new InvalidReply('a challenge is not an object');
    const { type, token } = one;
    // Of a type that we do not know, nothing is used.
    if (typeof type !== 'string') return [];
    if (token !== undefined && (typeof token !== 'string' || !TOKEN.test(token))) {
      throw new InvalidReply('the token of a challenge is not base64url');
    }
    return [
      {
        type: wordOf(type),
        url: urlOf(one, 'url'),
        token: token ?? null,
        status: wordOf(textOf(one, 'status')),
        problem: optionalProblem(one['error']),
      },
    ];
  });
  return {
    url,
    name: textOf(isFields(fields['identifier']) ? fields['identifier'] : {}, 'value').toLowerCase(),
    wildcard: fields['wildcard'] === true,
    status: memberOf(fields, 'status', AUTHORIZATION_STATES),
    challenges,
    retryAfter,
  };
}

/** RFC 9773, 4.2. */
export function renewalInfoOf(body: string): {
  readonly start: Date;
  readonly end: Date;
  readonly explanationUrl: string | null;
} {
  const fields = objectOf(body, 'renewal information');
  const window = isFields(fields['suggestedWindow']) ? fields['suggestedWindow'] : {};
  const [start, end] = [optionalTime(window, 'start'), optionalTime(window, 'end')];
  if (start === null || end === null || end <= start) throw new InvalidReply('suggestedWindow is not a time span');
  return { start, end, explanationUrl: optionalUrl(fields, 'explanationURL') };
}

/** Null: it is none. */
export function problemOf(body: string, status: number | null): AcmeProblemDocument | null {
  try {
    return optionalProblem(JSON.parse(body), status);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Seconds, or a date (RFC 9110, 10.2.3). Null: absent or unreadable. */
export function retryAfterOf(value: string | undefined, now: Date): Date | null {
  if (value === undefined) return null;
  if (/^\d{1,9}$/.test(value)) return new Date(now.getTime() + Number(value) * 1_000);
  // `Date.parse` reads much more: of 3600.5 it makes the year 3600.
  if (!HTTP_DATE.test(value)) return null;
  const time = Date.parse(value);
  return Number.isNaN(time) ? null : new Date(time);
}

function optionalProblem(value: unknown, status: number | null = null): AcmeProblemDocument | null {
  if (!isFields(value)) return null;
  // Encoded, since it is shown.
  const instance = URL.parse(optionalUrl(value, 'instance') ?? '')?.href;
  const subproblems = Array.isArray(value['subproblems']) ? value['subproblems'].slice(0, MOST_ITEMS) : [];
  return {
    type: typeOf(value),
    detail: shownText(value['detail']),
    status: typeof value['status'] === 'number' ? value['status'] : status,
    ...(instance === undefined ? {} : { instance }),
    subproblems: subproblems.filter(isFields).map((one) => {
      const { identifier } = one;
      const name = isFields(identifier) ? identifier['value'] : null;
      return { type: typeOf(one), detail: shownText(one['detail']), name: name == null ? null : wordOf(name) };
    }),
  };
}

function typeOf(problem: Fields): string {
  const type = wordOf(problem['type'] ?? 'about:blank');
  return type.startsWith(ACME_ERROR) ? type.slice(ACME_ERROR.length) : type;
}

/** For people: without control characters, and bounded. */
function shownText(value: unknown): string {
  const text = typeof value === 'string' ? value : '';
  return text
    .slice(0, LONGEST_TEXT)
    .replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
    .trim();
}

function wordOf(value: unknown): string {
  return shownText(value).slice(0, LONGEST_WORD);
}

function objectOf(body: string, what: string): Fields {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new InvalidReply(`${what} is not JSON`);
  }
  if (!isFields(value)) throw new InvalidReply(`${what} is not an object`);
  return value;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function listOf(fields: Fields, name: string): readonly unknown[] {
  const value = fields[name];
  if (!Array.isArray(value) || value.length > MOST_ITEMS) throw new InvalidReply(`${name} is not a list of that size`);
  return value;
}

function textOf(fields: Fields, name: string): string {
  const value = fields[name];
  if (typeof value !== 'string' || value.length > LONGEST_TEXT) throw new InvalidReply(`${name} is not a text`);
  return value;
}

function urlOf(fields: Fields, name: string): string {
  const value = textOf(fields, name);
  if (value.length > LONGEST_URL || URL.parse(value)?.protocol !== 'https:') {
    throw new InvalidReply(`${name} is not an https URL`);
  }
  return value;
}

/** A link that is not one is as good as none. */
function optionalUrl(fields: Fields, name: string): string | null {
  const value = fields[name];
  if (typeof value !== 'string' || value.length > LONGEST_URL) return null;
  return URL.parse(value)?.protocol === 'https:' ? value : null;
}

function optionalTime(fields: Fields, name: string): Date | null {
  const value = fields[name];
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? null : new Date(time);
}

function memberOf<const T extends string>(fields: Fields, name: string, allowed: readonly T[]): T {
  const value = fields[name];
  const member = allowed.find((one) => one === value);
  if (member === undefined) throw new InvalidReply(`${name} is none of ${allowed.join(', ')}`);
  return member;
}
