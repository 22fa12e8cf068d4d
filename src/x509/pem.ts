import { type Parsed, parsed, refused } from '../domain/parsed.ts';
import { quote } from '../domain/quote.ts';

/** What is between a BEGIN and an END line. */
export interface PemBlock {
  readonly label: string;
  readonly der: Buffer;
  /** Of its BEGIN line, from 1. */
  readonly line: number;
}

const BOUNDARY = /^-----(BEGIN|END) ([A-Z0-9 ]+)-----$/;
const BASE64 = /^[A-Za-z0-9+/=]*$/;
const LINE_LENGTH = 64;

/**
 * The blocks of a PEM file, in order. Accepts what tools write around and inside them: other line ends, blank lines,
 * indents, text between blocks. Refusals name lines, and never show their content: it may be a private key.
 */
export function parsePem(text: string): Parsed<PemBlock[]> {
  const blocks: PemBlock[] = [];
  let open: { readonly label: string; readonly line: number; base64: string } | null = null;
  for (const [index, raw] of text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\n|\r/)
    .entries()) {
    const line = raw.trim();
    const number = index + 1;
    const boundary = BOUNDARY.exec(line);
    if (boundary === null) {
      if (line.startsWith('-----')) return refused(`line ${number} is neither a BEGIN nor an END line of PEM`);
      if (open === null || line === '') continue;
      if (/^Proc-Type: *4, *ENCRYPTED/i.test(line)) return refused(encrypted(open.line));
      if (!BASE64.test(line)) return refused(`line ${number}, inside a block of PEM, is not base64`);
      open.base64 += line;
      continue;
    }
    const [, verb, label] = boundary as unknown as [string, 'BEGIN' | 'END', string];
    if (verb === 'BEGIN') {
      if (open !== null)
        return refused(`the block that begins in line ${open.line} does not end before line ${number}`);
      open = { label, line: number, base64: '' };
      continue;
    }
    if (open === null) return refused(`the block that ends in line ${number} does not begin`);
    if (open.label !== label) {
      return refused(`the block of line ${open.line} is ${quote(open.label)}, but line ${number} ends ${quote(label)}`);
    }
    const der = Buffer.from(open.base64, 'base64');
    if (der.length === 0) return refused(`the block of line ${open.line} is empty`);
    if (der.toString('base64') !== open.base64) {
      return refused(`the block of line ${open.line} is not complete base64: it was cut or changed`);
    }
    if (label === 'ENCRYPTED PRIVATE KEY') return refused(encrypted(open.line));
    blocks.push({ label, der, line: open.line });
    open = null;
  }
  if (open !== null) return refused(`the block that begins in line ${open.line} does not end`);
  return parsed(blocks);
}

function encrypted(line: number): string {
  return `the private key of line ${line} is encrypted; decrypt it first, with "openssl pkey -in FILE"`;
}

/** Without an empty line, which would end a payload of HAProxy's socket. Ends in a line feed. */
export function pemOf(label: string, der: Uint8Array): string {
  const base64 = Buffer.from(der).toString('base64');
  const lines = base64.match(new RegExp(`.{1,${LINE_LENGTH}}`, 'g')) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
}
