// What the changes of the running maps have in common, of blocked and of trusted addresses.
import Type, { type Static, type TObject } from 'typebox';
import { codes } from '../errors/catalogue.ts';
import { CommittedMembers } from './problem.ts';
import { count, flag, listOf, model, pidOrNull, text, texts } from './schema.ts';

/** A hundred years: more is a mistake, and the sum would leave the calendar. */
const longestBlockSeconds = 3_155_760_000;

export const addressText = 'The address or network in its canonical form: RFC 5952 for IPv6, no `/32` and no `/128`.';

/** Bounded and explained by the one parser of times. */
export const untilField = (description: string) =>
  Type.Optional(
    Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description,
      mustBe: 'a time with its zone such as 2030-01-31T12:00:00Z, or null for good',
    }),
  );

export const durationField = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: longestBlockSeconds,
    description: 'For how many seconds from now. Excludes `expires_at`.',
    mustBe: `a whole number from 1 to ${longestBlockSeconds}`,
  }),
);

const RuntimeMapFailure = model('RuntimeMapFailure', 'One worker that was not seen to be right for one address.', {
  ip_address: text(addressText),
  worker: pidOrNull('The pid; null when none could be addressed.'),
  command: text('The command that was sent.'),
  responses: texts('What the worker said, line for line.'),
  reason: text('What was wrong with it.'),
});
export type RuntimeMapFailure = Static<typeof RuntimeMapFailure>;

/** The truth about the running maps. */
export const runtimeReportFields = {
  runtime_map_updated: flag('Every live worker, draining ones too, was seen to be right.'),
  runtime_map_failures: listOf(
    RuntimeMapFailure,
    'Which worker was not seen to be right for which address; the first 100.',
  ),
  runtime_map_failures_total: count('How many such failures there are.'),
  reload_scheduled: flag('A reload follows by itself and enforces what was not seen.'),
};
export type RuntimeReport = Static<TObject<typeof runtimeReportFields>>;

/** Seen everywhere. */
export const report = {
  runtime_map_updated: true,
  runtime_map_failures: [],
  runtime_map_failures_total: 0,
  reload_scheduled: false,
};

/** What the problems of examples have in common. */
export const problem = { kind: 'Parameter', errors: [], request_id: 'V1StGXR8_Z5jdHi6' };

export const durable =
  'A 2xx means that the change is durable in database and map file: no crash undoes it. `runtime_map_updated` says whether every worker of the proxy was seen to be right; where it is false, `runtime_map_failures` says which was not, and what follows. Only the database or the map file can make this fail (503); `committed` says what was stored all the same.';

export const changeCodes = [codes.QueueFull, codes.DatabaseUnusable, codes.MapFileUnusable, codes.ChangeFailed];
/** What of the request is durable although it failed. */
export const changeMembers = { 500: CommittedMembers, 503: CommittedMembers };
