import type { InsightSummary } from '../../api/insight-records.ts';
import { count, counted } from '../../domain/counted.ts';
import type { CommandLine } from '../command-line.ts';
import { durationOf } from '../expiry-options.ts';
import { type ExitCode, exitCodes } from '../failure.ts';
import { fromNow, minute } from '../output/times.ts';
import { printAnswer, type Session } from '../session.ts';
import { type Options, Verb } from '../verb.ts';
import { percent, summaryLine } from './top.ts';

export function statsVerb(cli: CommandLine): Verb {
  const verb = new Verb('stats', 'show what the blocked set did')
    .option('--range <duration>', 'how far back: 1h to 400d', '24h')
    .example('stats', 'the last 24 hours')
    .example('stats --range 7d -o json', 'the last week, for a program');
  return cli.calling(verb, stats);
}

async function stats(session: Session, _operands: readonly string[], options: Options): Promise<ExitCode> {
  const range = String(options['range']);
  durationOf(range, '--range');
  const { data: answer } = await session.api.GET('/api/insight', { params: { query: { range } } });
  await printAnswer(session, answer, (summary) => statsLines(summary, session.now()));
  return exitCodes.done;
}

export function statsLines(summary: InsightSummary, now: Date): string[] {
  const { never_matched: never, attack, gaps, since } = summary;
  const before = summary.previous.denied;
  const trend =
    before === null || before === 0 || summary.denied === null
      ? []
      : [`              ${trendText(summary.denied / before)}`];
  return [
    `denied        ${summaryLine(summary)}`,
    ...trend,
    `addresses     ${addressesText(summary)}`,
    `entries       ${count(summary.entries)}, ${count(summary.expiring_24h)} of them expire within 24 h`,
    `never matched ${neverMatchedText(never)}`,
    `candidates    ${summary.candidates === null ? notCounted : count(summary.candidates)}`,
    `attack        ${attack === null ? 'none' : `since ${minute(attack.started_at)}`}`,
    ...(since === null ? ['nothing was counted yet'] : []),
    ...gaps.map(
      ({ from, to, cause }) => `gap           ${minute(from)} to ${minute(to)} (${fromNow(to, now)}): ${cause}`,
    ),
  ];
}

/** The configuration of HAProxy lacks a table; health says so. */
const notCounted = 'not counted by HAProxy';

function addressesText({ addresses, new_addresses: fresh }: InsightSummary): string {
  return addresses === null ? notCounted : `${count(addresses)}, ${count(fresh ?? 0)} of them new`;
}

function neverMatchedText({ days, count: entries, old_enough: old, watched_days }: InsightSummary['never_matched']) {
  if (entries === null) return `watching for ${counted(watched_days, 'day')}; known after ${days}`;
  return old === 0 ? `no entry is ${days} days old` : `${counted(entries, 'entry', 'entries')} in ${days} days`;
}

function trendText(ratio: number): string {
  return ratio >= 1 ? `${percent(ratio - 1)} more than before` : `${percent(1 - ratio)} less than before`;
}
