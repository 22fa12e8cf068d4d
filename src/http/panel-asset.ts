// Compressed at the first request, in another thread, so that a start is not delayed.
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, gzip, constants as zlib } from 'node:zlib';
import { qvalue } from '../errors/negotiate.ts';

const compress = {
  br: promisify((data: Buffer, done: (error: Error | null, result: Buffer) => void) =>
    brotliCompress(data, { params: { [zlib.BROTLI_PARAM_QUALITY]: 9 } }, done),
  ),
  gzip: promisify((data: Buffer, done: (error: Error | null, result: Buffer) => void) =>
    gzip(data, { level: 9 }, done),
  ),
} as const;

type Encoding = keyof typeof compress;

const types: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
};

export class PanelAsset {
  readonly type: string;
  readonly etag: string;
  readonly bytes: Buffer;
  readonly #encoded = new Map<Encoding, Promise<Buffer>>();

  constructor(name: string, bytes: Buffer) {
    this.type = types[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
    this.bytes = bytes;
    this.etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
  }

  encoded(encoding: Encoding): Promise<Buffer> {
    let encoded = this.#encoded.get(encoding);
    if (encoded === undefined) {
      encoded = compress[encoding](this.bytes);
      this.#encoded.set(encoding, encoded);
    }
    return encoded;
  }
}

/** Null: none is supported. */
export function encodingFor(accepted: string | undefined): Encoding | null {
  const encodings = encodingsOf(accepted);
  if (encodings.has('br')) return 'br';
  return encodings.has('gzip') ? 'gzip' : null;
}

/** In lower case. One with an invalid weight is not allowed. */
export function encodingsOf(accepted: string | undefined): ReadonlySet<string> {
  const encodings = new Set<string>();
  for (const part of (accepted ?? '').split(',')) {
    const [name = '', ...weights] = part.split(';').map((text) => text.trim().toLowerCase());
    // The only parameter is a weight.
    const [weight = 'q=1', ...more] = weights;
    if (more.length === 0 && weight.startsWith('q=') && qvalue(weight.slice(2)) > 0) encodings.add(name);
  }
  return encodings;
}
