import { Option } from 'commander';
import type { BatchQuery, BulkAnswer } from '../../api/blocked-ips-bulk.ts';
import { isProblem, problemCodes } from '../../client/problem-codes.ts';
import { counted } from '../../domain/counted.ts';
import { type ListFormat, listFormats } from '../../lists/format.ts';
import { type ListReading, readList } from '../../lists/read-list.ts';
import type { NumberedReading } from '../../lists/reading.ts';
import { type ElementDefaults, withSourceName } from '../bulk/elements.ts';
import { createMissing, type ListedSource, outlastedLines, rereadable, sourcesOfList } from '../bulk/list-sources.ts';
import { jsonSet, type Replacement, textSet } from '../bulk/replacement.ts';
import { changeMany, replaceAll } from '../bulk/requests.ts';
import { sendList } from '../bulk/send.ts';
import { type ListSource, openSource } from '../bulk/source.ts';
import { type BulkResult, BulkTally } from '../bulk/tally.ts';
import { bulkSentence, printBulkResult } from '../bulk/text.ts';
import { sourceQueryOf } from '../claim-source.ts';
import type { CommandLine } from '../command-line.ts';
import { shrinkText } from '../connection/failure-text.ts';
import { type ExitCode, Failure, usageError } from '../failure.ts';
import { confirm, type Session } from '../session.ts';
import { type Options, Verb } from '../verb.ts';
import { blockOptions, elementDefaults, wideOf } from './block.ts';

export function importVerb(cli: CommandLine): Verb {
  const verb = blockOptions(new Verb('import', 'block the addresses of a list'))
    .argument('<file>', 'the list; - reads standard input')
    .option('--replace', 'make the list the complete set of its source: its other entries are dropped')
    .option('--allow-shrink', 'with --replace: even if it removes more than half of the set')
    .option('--keep-sources', 'of an exported CSV: each line becomes a claim of the source that it names')
    .option('--as-manual', 'of an exported CSV: every line becomes a claim of one source, manual or that of --source')
    .option('--dry-run', 'only report what would change')
    .addOption(
      new Option(
        '--format <format>',
        'plain lines, CSV with reason and expiry, an HAProxy map file, or output of ipset save',
      )
        .choices(['auto', ...listFormats])
        .default('auto'),
    )
    .example('import blocklist.txt', 'add a list; # and ; start comments')
    .example('import abuse.csv --for 1w', 'CSV: ip_address,reason,expires_at; a week for lines without an expiry')
    .example('import --replace /etc/haproxy/blocked.map', 'an existing map file as the complete set')
    .example(
      'import - --reason drop',
      'standard input, for example from: curl -sf https://www.spamhaus.org/drop/drop.txt',
    )
    .example('import --replace drop.txt --source drop', 'a list of its own; other sources keep their entries')
    .example('import - --format netset', 'for example from: ipset save blocked')
    .example('import -', "CrowdSec's bans, each for its remaining time: cscli decisions list -o raw");
  return cli.calling(verb, importList);
}

async function importList(session: Session, [path = '-']: readonly string[], options: Options): Promise<ExitCode> {
  const format = listFormats.find((name) => name === options['format']) ?? null;
  const replace = options['replace'] === true;
  if (options['allowShrink'] === true && !replace) throw usageError('--allow-shrink requires --replace');
  if (path === '-' && session.canAsk) session.output.remark('reading addresses from the terminal; end with Ctrl-D');
  const source = rereadable(await openSource(path, session.stdin));
  const kept = await sourcesToKeep(source, format, options);
  const defaults = await elementDefaults(session, options);
  if (kept === null) {
    const ignored =
      options['asManual'] === true
        ? await outlastedLines(source, format, defaults.expiry, session.now())
        : new Set<number>();
    source.release();
    return await printBulkResult(
      session,
      source.name,
      await importOne(session, source, format, { ...defaults, ignored }, options),
    );
  }
  if (options['dryRun'] !== true) await createMissing(session, kept, replace ? 'list' : 'agent');
  const names = [...kept.keys()];
  const tally = new BulkTally();
  for (const [index, name] of names.entries()) {
    const only = { source: name, rejects: index === 0 };
    try {
      const result = await importOne(session, source, format, { ...defaults, only }, { ...options, source: name });
      tally.add(result as BulkAnswer, ({ line = 0 }) => line);
    } catch (error) {
      const done = names.slice(0, index).join(', ');
      if (index > 0) session.output.remark(`imported before the failure, ${done}: ${bulkSentence(tally.result)}`);
      throw error;
    }
  }
  return await printBulkResult(session, source.name, tally.result);
}

/** Null: all lines are claims of one source. An export must not become claims of an operator by accident. */
async function sourcesToKeep(
  source: ListSource,
  format: ListFormat | null,
  options: Options,
): Promise<ReadonlyMap<string, ListedSource> | null> {
  const { keepSources, asManual } = options as { readonly keepSources?: boolean; readonly asManual?: boolean };
  if (keepSources === true && asManual === true) throw usageError('give either --keep-sources or --as-manual');
  const { source: given } = sourceQueryOf(options);
  if (keepSources === true && given !== undefined) throw usageError('--keep-sources cannot be combined with --source');
  if (asManual === true) return null;
  const sources = await sourcesOfList(source, format);
  if (keepSources === true) return sources.size === 0 ? null : sources;
  const own = given ?? 'manual';
  const others = [...sources].filter(([name]) => name !== own);
  if (others.length === 0) return null;
  const named = others.slice(0, shownSources).map(([name, { lines }]) => `${name} (${counted(lines, 'line')})`);
  const more = others.length - named.length;
  const list = `${named.join(', ')}${more > 0 ? ` and ${counted(more, 'other source')}` : ''}`;
  throw new Failure(
    `${source.name} has claims of ${list}; nothing was changed. To import each into its source, add --keep-sources; to import all as claims of ${own}, --as-manual`,
  );
}

const shownSources = 10;

async function importOne(
  session: Session,
  source: ListSource,
  format: ListFormat | null,
  defaults: ElementDefaults,
  options: Options,
): Promise<BulkResult> {
  const sending = {
    ...sourceQueryOf(options),
    ...wideOf(defaults),
    ...(options['dryRun'] === true && { dry_run: true }),
  };
  return options['replace'] === true
    ? await replaceSet(session, source, format, defaults, {
        ...sending,
        ...(options['allowShrink'] === true && { allow_shrink: true }),
      })
    : await sendList(session, source, format, defaults, ({ elements }) =>
        changeMany(session, { add: elements }, sending),
      );
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
    // A list from a pipe cannot be read and sent again.
    if (!isProblem(error, problemCodes.setWouldShrink) || !source.isFile || !session.canAsk) throw error;
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
  const waiting = session.output.progress('sent; the service is applying');
  try {
    const list = readList(source.read(), format);
    const set = await openReplacement(list, defaults, tally);
    const begun = await atLeastOneEntry(set, source, sending.allow_shrink === true);
    const chunks = observed(begun, {
      sending: () => progress.show(source.share, set.lines, 'lines'),
      sent: () => {
        progress.end();
        waiting.show(null, set.entries, 'entries');
        session.interruption.reports(
          () => `all ${counted(set.lines, 'line')} were sent but not acknowledged; see: proxy-manager status`,
        );
      },
    });
    session.interruption.reports(
      () => `only ${counted(set.lines, 'line')} of the list were sent, so nothing was changed`,
    );
    const answer = await replaceAll(session, { contentType: set.contentType, chunks }, sending);
    tally.add(answer, (rejection) => set.lineOf(rejection));
    session.interruption.reports(() => null);
    return tally.result;
  } catch (error) {
    throw withSourceName(source.name, error);
  } finally {
    progress.end();
    waiting.end();
  }
}

/** Entries with a reason or expiry are sent as JSON, others as text. */
async function openReplacement(list: ListReading, defaults: ElementDefaults, tally: BulkTally): Promise<Replacement> {
  const first = await list.batches.next();
  async function* readings(): AsyncGenerator<readonly NumberedReading[]> {
    if (first.done !== true) yield first.value;
    yield* list.batches;
  }
  const hasFields =
    list.format === 'csv' ||
    list.format === 'netset' ||
    defaults.reason !== undefined ||
    defaults.expiry !== null ||
    defaults.evenTrusted;
  return (hasFields ? jsonSet : textSet)(readings(), defaults, (rejected) => tally.reject(rejected));
}

/** An empty file or a page of HTML must not unblock every address. */
async function atLeastOneEntry(
  set: Replacement,
  source: ListSource,
  allowShrink: boolean,
): Promise<AsyncIterable<string>> {
  const chunks = set.chunks[Symbol.asyncIterator]();
  let head = '';
  for (;;) {
    const chunk = await chunks.next();
    if (chunk.done !== true) head += chunk.value;
    if (set.entries > 0 || (chunk.done === true && allowShrink)) break;
    if (chunk.done === true) {
      throw new Failure(
        `${source.name} contains no address; nothing was changed. To unblock every address, add --allow-shrink`,
      );
    }
  }
  async function* all(): AsyncGenerator<string> {
    yield head;
    for (let chunk = await chunks.next(); chunk.done !== true; chunk = await chunks.next()) yield chunk.value;
  }
  return all();
}

async function* observed(
  chunks: AsyncIterable<string>,
  observer: { readonly sending: () => void; readonly sent: () => void },
): AsyncGenerator<string> {
  for await (const chunk of chunks) {
    yield chunk;
    observer.sending();
  }
  observer.sent();
}
