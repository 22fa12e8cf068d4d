// `import`: a list from a file or standard input; added to the set, or in its place.

import { Option } from 'commander';
import type { BatchQuery } from '../../api/blocked-ips-bulk.ts';
import { isProblem, problemCodes } from '../../client/problem-codes.ts';
import { type ListFormat, listFormats } from '../../lists/format.ts';
import { type ListReading, readList } from '../../lists/read-list.ts';
import type { NumberedReading } from '../../lists/reading.ts';
import { type ElementDefaults, notAListFailure } from '../bulk/elements.ts';
import { changeMany, replaceAll } from '../bulk/requests.ts';
import { sendList } from '../bulk/send.ts';
import { type ListSource, openSource } from '../bulk/source.ts';
import { type BulkResult, BulkTally } from '../bulk/tally.ts';
import { tellBulk } from '../bulk/text.ts';
import { jsonSet, textSet, type WholeSet } from '../bulk/whole-set.ts';
import { shrinkText } from '../connection/failure-text.ts';
import { type ExitCode, Failure, misused } from '../failure.ts';
import { count, counted } from '../output/times.ts';
import { confirm, type Session } from '../session.ts';
import { Verb } from '../verb.ts';
import { blockOptions, elementDefaults, wideOf } from './block.ts';

export function importVerb(): Verb {
  return blockOptions(new Verb('import', 'block what a list names'))
    .argument('<file>', 'the list; - reads standard input')
    .option('--replace', 'the list is the whole set afterwards: what it does not name is unblocked')
    .option('--allow-shrink', 'with --replace: although more than half of the set would go')
    .option('--dry-run', 'only say what would be changed')
    .addOption(
      new Option(
        '--format <format>',
        'plain lines, CSV with reason and expiry, a map file of HAProxy, or a set of ipset',
      )
        .choices(['auto', ...listFormats])
        .default('auto'),
    )
    .example('import blocklist.txt', 'add a list; # and ; begin comments')
    .example('import abuse.csv --for 1w', 'CSV: ip_address,reason,expires_at; a week for lines without an end')
    .example('import --replace /etc/haproxy/blocked.map', 'an existing map file as the whole set')
    .example('import - --reason drop', 'standard input, such as of: curl -sf https://www.spamhaus.org/drop/drop.txt')
    .example('import - --format netset', 'such as of: ipset save blocked')
    .example('import -', "CrowdSec's bans, each for what is left of it: cscli decisions list -o raw") as Verb;
}

export async function importList(
  session: Session,
  [path = '-']: readonly string[],
  options: Readonly<Record<string, unknown>>,
): Promise<ExitCode> {
  const format = listFormats.find((name) => name === options['format']) ?? null;
  const replace = options['replace'] === true;
  if (options['allowShrink'] === true && !replace) throw misused('--allow-shrink goes with --replace');
  if (path === '-' && session.canAsk) session.output.remark('reading addresses from the keyboard; Ctrl-D ends them');
  const source = await openSource(path, session.stdin);
  const defaults = await elementDefaults(session, options);
  const sending = { ...wideOf(defaults), ...(options['dryRun'] === true && { dry_run: true }) };
  const result = replace
    ? await replaceSet(session, source, format, defaults, {
        ...sending,
        ...(options['allowShrink'] === true && { allow_shrink: true }),
      })
    : await sendList(session, source, format, defaults, ({ elements }) =>
        changeMany(session, { add: elements }, sending),
      );
  return await tellBulk(session, source.name, result);
}

type Sending = BatchQuery & { readonly allow_shrink?: boolean };

async function replaceSet(
  session: Session,
  source: ListSource,
  format: ListFormat | null,
  defaults: ElementDefaults,
  sending: Sending,
): Promise<BulkResult> {
  try {
    return await replaceOnce(session, source, format, defaults, sending);
  } catch (error) {
    if (!isProblem(error, problemCodes.setWouldShrink)) throw notAListFailure(source.name, error);
    // What came through a pipe is gone, and cannot be sent again.
    if (!source.isFile || !session.canAsk) throw error;
    await confirm(session, shrinkText(error), '--allow-shrink');
    return await replaceOnce(session, source, format, defaults, { ...sending, allow_shrink: true });
  }
}

async function replaceOnce(
  session: Session,
  source: ListSource,
  format: ListFormat | null,
  defaults: ElementDefaults,
  sending: Sending,
): Promise<BulkResult> {
  const tally = new BulkTally();
  const progress = session.output.progress('sending');
  const waiting = session.output.progress('sent; the service applies');
  try {
    const list = readList(source.read(), format);
    const set = await wholeSet(list, defaults, tally);
    const begun = await withAnEntry(set, source, sending.allow_shrink === true);
    const chunks = told(begun, {
      sending: () => progress.tell(source.share, set.lines, 'lines'),
      sent: () => {
        progress.end();
        waiting.tell(null, set.entries, 'entries');
        session.interruption.reports(
          () => `all ${counted(set.lines, 'line')} were sent and not answered; see: proxy-manager status`,
        );
      },
    });
    session.interruption.reports(
      () => `the list was not sent to its end (line ${count(set.lines)}), so nothing was changed`,
    );
    const answer = await replaceAll(session, { contentType: set.contentType, chunks }, sending);
    tally.add(answer, (rejection) => set.lineOf(rejection));
    session.interruption.reports(() => null);
    return tally.result;
  } finally {
    progress.end();
    waiting.end();
  }
}

/** Reads the first lines, which tell the format: entries that say something of themselves go as JSON. */
async function wholeSet(list: ListReading, defaults: ElementDefaults, tally: BulkTally): Promise<WholeSet> {
  const first = await list.batches.next();
  async function* readings(): AsyncGenerator<readonly NumberedReading[]> {
    if (first.done !== true) yield first.value;
    yield* list.batches;
  }
  const says =
    list.format === 'csv' ||
    list.format === 'netset' ||
    defaults.reason !== undefined ||
    defaults.expiry !== null ||
    defaults.evenTrusted;
  return (says ? jsonSet : textSet)(readings(), defaults, (rejected) => tally.reject(rejected));
}

/** A page of HTML, or an empty file, is no order to unblock everybody: it is sent only once an entry was seen. */
async function withAnEntry(set: WholeSet, source: ListSource, allowShrink: boolean): Promise<AsyncIterable<string>> {
  const chunks = set.chunks[Symbol.asyncIterator]();
  let head = '';
  for (;;) {
    const chunk = await chunks.next();
    if (chunk.done !== true) head += chunk.value;
    if (set.entries > 0 || (chunk.done === true && allowShrink)) break;
    if (chunk.done === true) {
      throw new Failure(
        `${source.name} names no address, and nothing was changed; --allow-shrink unblocks everything all the same`,
      );
    }
  }
  async function* all(): AsyncGenerator<string> {
    yield head;
    for (let chunk = await chunks.next(); chunk.done !== true; chunk = await chunks.next()) yield chunk.value;
  }
  return all();
}

async function* told(
  chunks: AsyncIterable<string>,
  tell: { readonly sending: () => void; readonly sent: () => void },
): AsyncGenerator<string> {
  for await (const chunk of chunks) {
    yield chunk;
    tell.sending();
  }
  tell.sent();
}
