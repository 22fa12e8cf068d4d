export type ErrorMediaType = 'problem+json' | 'apierror' | 'err';

/** The `Content-Type` of each form of an error. */
export const errorContentTypes: Readonly<Record<ErrorMediaType, string>> = Object.freeze({
  'problem+json': 'application/problem+json',
  apierror: 'application/x-protobuf; messageType="errors.v1.ApiError"',
  err: 'application/x-protobuf; messageType="errors.v1.Err"',
});

interface MediaRange {
  readonly type: string;
  readonly messageType: string | undefined;
  readonly quality: number;
}

/**
 * The form of an error that the `Accept` header prefers: the highest q, the first of equals, and a problem document if
 * the header names no form. Never 406, so that every error gets a response.
 */
export function errorMediaType(accept: string | undefined): ErrorMediaType {
  let best: ErrorMediaType = 'problem+json';
  let bestQuality = 0;
  let anyQuality = 0;
  for (const range of splitOutsideQuotes(accept ?? '', ',').map(parseRange)) {
    const wanted = formOf(range);
    if (wanted !== undefined && range.quality > bestQuality) {
      best = wanted;
      bestQuality = range.quality;
    }
    if (range.type === '*/*' || range.type === 'application/*') anyQuality = Math.max(anyQuality, range.quality);
  }
  // A wildcard means a problem document, if its q is the highest.
  return anyQuality > bestQuality ? 'problem+json' : best;
}

/** The client names `type`, and prefers it to `other`. Wildcards name no type. */
export function isPreferred(type: string, other: string, accept: string | undefined): boolean {
  return qualityOf(type, accept) > qualityOf(other, accept);
}

/** The client names `type` and accepts it. Wildcards name no type. */
export function isNamed(type: string, accept: string | undefined): boolean {
  return qualityOf(type, accept) > 0;
}

/** The weight of RFC 9110, 12.4.2: 0 to 1 with at most three decimals. Any other text is 0, so that it selects nothing. */
export function qvalue(text: string): number {
  return /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(text) ? Number(text) : 0;
}

function qualityOf(type: string, accept: string | undefined): number {
  const ranges = splitOutsideQuotes(accept ?? '', ',').map(parseRange);
  return Math.max(0, ...ranges.map((range) => (range.type === type ? range.quality : 0)));
}

function formOf({ type, messageType }: MediaRange): ErrorMediaType | undefined {
  if (type === 'application/problem+json' || type === 'application/json') return 'problem+json';
  if (type !== 'application/x-protobuf') return undefined;
  if (messageType === undefined || messageType === 'errors.v1.ApiError') return 'apierror';
  return messageType === 'errors.v1.Err' ? 'err' : undefined;
}

function parseRange(text: string): MediaRange {
  const [type = '', ...parameters] = splitOutsideQuotes(text, ';');
  let messageType: string | undefined;
  let quality: number | null = null;
  for (const parameter of parameters) {
    const equals = parameter.indexOf('=');
    const name = (equals < 0 ? parameter : parameter.slice(0, equals)).trim().toLowerCase();
    const value = equals < 0 ? '' : parameter.slice(equals + 1);
    if (name === 'messagetype') messageType = unquote(value.trim());
    // At most one q, without quotes or spaces in it.
    if (name === 'q') quality = quality === null ? qvalue(value.trimEnd()) : 0;
  }
  return { type: type.trim().toLowerCase(), messageType, quality: quality ?? 1 };
}

function unquote(value: string): string {
  return /^"(.*)"$/.exec(value)?.[1]?.replace(/\\(.)/g, '$1') ?? value;
}

function splitOutsideQuotes(text: string, separator: ',' | ';'): string[] {
  const parts: string[] = [];
  let start = 0;
  let quoted = false;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (quoted && character === '\\') index++;
    else if (character === '"') quoted = !quoted;
    else if (character === separator && !quoted) {
      parts.push(text.slice(start, index));
      start = index + 1;
    }
  }
  parts.push(text.slice(start));
  return parts;
}
