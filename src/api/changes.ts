import Type, { type Static, type TObject } from 'typebox';
import { codes } from '../errors/catalogue.ts';
import { CommittedMembers } from './problem.ts';
import { count, flag, listOf, model, pidOrNull, sentTime, text, texts } from './schema.ts';

/** A hundred years: more is a mistake, and would exceed the calendar. */
const longestBlockSeconds = 3_155_760_000;

export const addressText = 'The address or network in its canonical form: RFC 5952 for IPv6, no `/32` and no `/128`.';

/** From `::` to `0000:0000:0000:0000:0000:ffff:255.255.255.255/128`; `domain/ip.ts` parses it (error 101). */
export const addressBounds = { minLength: 2, maxLength: 49 };

export const sentAddress = (description: string) =>
  Type.String({ description, mustBe: 'an IP address or network', documentedAs: addressBounds });

export const addressParams = Type.Object({
  ip_address: Type.String({
    description: 'An IP address or network in any common notation. Write the slash of a network as `%2F`.',
    documentedAs: addressBounds,
    examples: ['203.0.113.7'],
  }),
});

export const untilField = (description: string) =>
  Type.Optional(
    Type.Unsafe<string | null>({
      ...sentTime,
      type: ['string', 'null'],
      description,
      mustBe: 'a time with a time zone such as 2030-01-31T12:00:00Z, or null for a permanent entry',
    }),
  );

export const durationField = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: longestBlockSeconds,
    description: 'For how many seconds from now. Not together with `expires_at`.',
    mustBe: `a whole number from 1 to ${longestBlockSeconds}`,
  }),
);

const RuntimeMapFailure = model('RuntimeMapFailure', 'One worker that was not verified for one address.', {
  ip_address: text(addressText),
  worker: pidOrNull('The pid; null if no worker could be addressed.'),
  command: text('The command that was sent.'),
  responses: texts("The worker's reply, line by line."),
  reason: text('Why the entry could not be verified.'),
});
export type RuntimeMapFailure = Static<typeof RuntimeMapFailure>;

export const runtimeReportFields = {
  runtime_map_updated: flag('Every live worker, draining workers included, was verified.'),
  runtime_map_failures: listOf(RuntimeMapFailure, 'Which worker was not verified for which address; the first 100.'),
  runtime_map_failures_total: count('How many such failures there are.'),
  reload_scheduled: flag('A reload follows automatically and enforces what was not verified.'),
};
export type RuntimeReport = Static<TObject<typeof runtimeReportFields>>;

/** Verified everywhere. */
export const report = {
  runtime_map_updated: true,
  runtime_map_failures: [],
  runtime_map_failures_total: 0,
  reload_scheduled: false,
};

export const problem = { kind: 'Parameter', errors: [], request_id: 'V1StGXR8_Z5jdHi6' };

export const durable =
  'A 2xx means that the change is durable in database and map file; a crash does not undo it. `runtime_map_updated` says whether every worker of HAProxy was verified; if it is false, `runtime_map_failures` lists the workers that were not, and `reload_scheduled` says whether a reload follows. The request fails (503) only because of the database or the map file; `committed` then says what was stored anyway.';

export const changeCodes = [codes.QueueFull, codes.DatabaseUnusable, codes.MapFileUnusable, codes.ChangeFailed];
export const changeMembers = { 500: CommittedMembers, 503: CommittedMembers };
