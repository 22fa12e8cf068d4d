// The page that a denied client sees: the operator's own, if HAProxy can send it (ADR 0066).

import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { count } from '../../domain/counted.ts';
import { countClient } from './counting-rules.ts';
import { contentAddressed, filesNamedIn, type NamedFile } from './sites-map.ts';

/** HAProxy answers 500 in place of a page that does not fit into its buffer of 16,384 bytes with the headers. */
export const deniedPageLimit = 15_000;
/** Of the file with each `%` doubled: HAProxy refuses one that is larger than its buffer. */
const fileLimit = 16_000;
/** That of an IPv6 address. */
const longestReference = 32 + 1 + 8 + 1 + 8;
const placeholder = /\{\{\s*reference\s*\}\}/g;

export interface DeniedPage {
  /** For HAProxy, as a log format; null: the template's own page. */
  readonly file: NamedFile | null;
  /** The same page, which also counts its client. */
  readonly counted: NamedFile | null;
  /** Why the operator's page is not used; to follow its path. */
  readonly refusal: string | null;
}

interface DeniedPageDeps {
  /** The operator's page; null: none. */
  readonly path: string | null;
  /** As of `contentAddressed`. */
  readonly base: string;
  /** The live configuration names the page that is in force. */
  readonly liveText: () => Promise<string | null>;
}

/**
 * The operator's page as it is now. One that cannot be used is refused with the reason, and the last good one stays: a
 * page is never a reason not to reload.
 */
export async function currentDeniedPage({ path, base, liveText }: DeniedPageDeps): Promise<DeniedPage> {
  if (path === null) return { file: null, counted: null, refusal: null };
  const page = await readPage(path);
  if ('content' in page) return { ...filesOf(base, page.content), refusal: null };
  const last = await lastGoodPage(base, (await liveText()) ?? '');
  const used = last === null ? 'the built-in page is used' : 'the last good one stays in use';
  const files = last === null ? { file: null, counted: null } : filesOf(base, last);
  return { ...files, refusal: `the denied page ${path} ${page.why}; ${used}` };
}

/** The counter is first: text of the operator begins with no single `%`. */
function filesOf(base: string, content: string): Pick<DeniedPage, 'file' | 'counted'> {
  return { file: contentAddressed(base, content), counted: contentAddressed(base, `${countClient}${content}`) };
}

/** By its name, an undamaged one only; without a counter. */
async function lastGoodPage(base: string, configText: string): Promise<string | null> {
  const named = await filesNamedIn([base], configText);
  const good = named.find(({ path, content }) => basename(path) === basename(contentAddressed(base, content).path));
  if (good === undefined) return null;
  return good.content.startsWith(countClient) ? good.content.slice(countClient.length) : good.content;
}

type Page = { readonly content: string } | { readonly why: string };

async function readPage(path: string): Promise<Page> {
  try {
    return asLogFormat(await readLimited(path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    return { why: `cannot be read: ${(error as Error).message}` };
  }
}

/** Null: not a regular file. Without waiting for the writer of a pipe, and no more than is needed. */
async function readLimited(path: string): Promise<Buffer | null> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!(await handle.stat()).isFile()) return null;
    const buffer = Buffer.alloc(deniedPageLimit + 1);
    let length = 0;
    for (;;) {
      const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
      length += bytesRead;
      if (bytesRead === 0 || length === buffer.length) return buffer.subarray(0, length);
    }
  } finally {
    await handle.close();
  }
}

/** With each `%` doubled, so that HAProxy sends it as it is, and the reference of the request in its place. */
export function asLogFormat(bytes: Buffer | null): Page {
  if (bytes === null) return { why: 'is not a file' };
  if (bytes.length > deniedPageLimit) return { why: `has more than ${count(deniedPageLimit)} bytes` };
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return { why: 'is not UTF-8 text' };
  }
  if (text.trim() === '') return { why: 'is empty' };
  if (text.includes('\0')) return { why: 'contains a NUL character' };
  const sent = Buffer.byteLength(text.replace(placeholder, '-'.repeat(longestReference)));
  if (sent > deniedPageLimit)
    return { why: `has ${count(sent)} bytes with its references, more than ${count(deniedPageLimit)}` };
  const content = text.replaceAll('%', '%%').replace(placeholder, '%[unique-id]');
  const written = Buffer.byteLength(content);
  if (written > fileLimit)
    return { why: `has ${count(written)} bytes with each % doubled, more than ${count(fileLimit)}` };
  return { content };
}
