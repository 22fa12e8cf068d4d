import Type, { type Static } from 'typebox';
import { codes } from '../errors/catalogue.ts';
import { BulkAnswer } from './blocked-ips-bulk.ts';
import { addressText, changeCodes, changeMembers, problem, report } from './changes.ts';
import { operation } from './operation.ts';
import { fullMembers } from './problem.ts';
import {
  count,
  described,
  listOf,
  model,
  oneOf,
  queryFlag,
  text,
  textOrNull,
  texts,
  time,
  timeOrNull,
} from './schema.ts';

const params = Type.Object({
  id: Type.String({
    maxLength: 15,
    pattern: '^[1-9][0-9]*$',
    description: 'The `id` of the entry in the audit log.',
    mustBe: 'the id of an entry of the audit log, a whole number',
    examples: ['812'],
  }),
});

const UndoneClaim = model('UndoneClaim', 'What the undo does to one claim.', {
  ip_address: text(addressText),
  source: text('The source whose claim it is.'),
  action: oneOf(
    ['drop', 'restore', 'change'],
    '`drop`: the claim that was made is dropped. `restore`: a dropped claim is made again. `change`: a claim gets its former fields.',
  ),
  expires_at: timeOrNull('When the claim ends then, as before; null: never, or it is dropped.'),
});
export type UndoneClaim = Static<typeof UndoneClaim>;

const UndoneEntry = model('UndoneEntry', 'The undone entry of the audit log.', {
  id: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'Its id.' }),
  operation: text('Its operation.'),
  at: time('When it arrived.'),
  key: textOrNull('The name of its key.'),
});

const StillTrusted = model('StillTrusted', 'An address that the undo blocks, and that trust allows anyway.', {
  ip_address: text(addressText),
  by: text('The narrowest trusted entry that covers it.'),
});
export type StillTrusted = Static<typeof StillTrusted>;

const UndoAnswer = model('UndoAnswer', 'What was undone, and whether the workers hold it.', {
  undoes: described(UndoneEntry, 'The undone entry of the audit log.'),
  first: listOf(UndoneClaim, 'What is done to claims, the first 20.'),
  still_trusted: Type.Optional(
    listOf(
      StillTrusted,
      'Addresses of restored or changed claims that trust allows anyway, the first 20; absent if there are none.',
    ),
  ),
  still_trusted_total: Type.Optional(count('How many such addresses there are; absent if there are none.')),
  ...BulkAnswer.properties,
});
export type UndoAnswer = Static<typeof UndoAnswer>;

const UndoConflict = model('UndoConflict', 'Why nothing was changed; the members depend on `code`.', {
  changed_since: Type.Optional(texts('Addresses whose claims were changed since, the first 20 (6041).')),
  changed_since_total: Type.Optional(count('How many claims were changed since (6041).')),
  upstream: Type.Optional(text('The upstream to which an address belongs that would be blocked again (6050).')),
  ...fullMembers,
});

const undoes = { id: 812, operation: 'unblock', at: '2026-11-20T12:15:02.114Z', key: 'ann' };
const path = { id: '812' };
const restored = {
  undoes,
  first: [{ ip_address: '203.0.113.7', source: 'manual', action: 'restore' as const, expires_at: null }],
  added: 1,
  updated: 0,
  removed: 0,
  unchanged: 0,
  rejected_total: 0,
  rejected: [],
  ...report,
};

export const undoOperation = operation({
  id: 'undoOperation',
  method: 'POST',
  path: '/api/audit/:id/undo',
  access: 'admin',
  audit: 'undo',
  tag: 'Audit',
  summary: 'Undo a change of blocked addresses',
  description:
    'Undoes a `block`, `unblock`, `batch`, `replace`, `unblock_selected` or `undo`, exactly or not at all: claims that it made are dropped, claims that it dropped are made again, and those that it changed get their former fields. Only these claims are changed: what another source claims stays blocked. A restored claim ends when it was to end before; one that would have ended by now is not restored. If one of the claims was changed since, nothing is undone (409, 6041), nor if it would block an address inside an upstream again (409, 6050). Trust is not changed: not that which `trust_for` made, nor that which a block ended. It overrides what is restored, as any block, and `still_trusted` lists the addresses.\n\nWhat a change of several addresses did is kept for 30 days, of the last 1,000 such changes with up to 200,000 claims each and 1,000,000 together; of a single block or unblock the audit log itself says enough. `dry_run=true` says what would be done and changes nothing.',
  params,
  query: Type.Object(
    { dry_run: queryFlag('Returns what the request would do now, and changes nothing.') },
    { additionalProperties: false },
  ),
  answers: { 200: { description: 'It is undone.', schema: UndoAnswer } },
  codes: [codes.NotFound, codes.CannotUndo, codes.InsideUpstream, codes.SetFull, ...changeCodes],
  members: { 409: UndoConflict, ...changeMembers },
  examples: {
    what_it_would_do: {
      summary: 'What the undo of an unblock would do',
      path,
      query: { dry_run: true },
      answer: { ...restored, dry_run: true },
    },
    unblock: { summary: 'An unblock', path, answer: restored },
    another_operation: {
      summary: 'An operation that cannot be undone',
      path: { id: '1' },
      status: 409,
      answer: {
        type: 'urn:proxy-manager:error:6041',
        title: 'cannot be undone exactly',
        status: 409,
        detail: 'create_key cannot be undone, only changes of blocked addresses; nothing was changed',
        code: 6041,
        op: 'undo',
        ...problem,
        kind: 'State',
      },
    },
  },
});

export const undoOperations = [undoOperation] as const;
