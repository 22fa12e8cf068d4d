import Type from 'typebox';
import { scopes } from '../domain/scope.ts';
import { catalogue } from '../errors/catalogue.ts';
import { count, described, listOf, model, oneOf, text } from './schema.ts';

const FieldError = model('FieldError', 'One field of the request and what is wrong with it.', {
  name: text('The field, such as `servers[0].port`.'),
  description: text('What is wrong with it, and what is allowed.'),
});

/** RFC 9457. Never compiled into a serialiser: `http/error-replies.ts` encodes errors. */
export const Problem = model(
  'Problem',
  'An error (RFC 9457). Programs read `code`, people read `detail`. Some errors have more members, which the operation documents.',
  {
    type: text('A stable URN of the code. It cannot be fetched.'),
    title: text('The message of the code, the same for every error with this code.'),
    status: Type.Integer({ minimum: 400, maximum: 599, description: 'The HTTP status.' }),
    detail: text('What failed, why, and what to do.'),
    code: Type.Unsafe<number>({
      type: 'integer',
      enum: [...catalogue.keys()],
      description: 'The number of the error. Its kind and meaning never change.',
    }),
    kind: text('The family of the code, one word.'),
    op: text('The operation that failed.'),
    errors: listOf(FieldError, 'The rejected fields of the request; empty if the error is not about fields.'),
    request_id: text('The id of the request, as in `X-Request-Id`.'),
  },
);

const CommittedCounts = model('CommittedCounts', 'Entries of this request that are stored in database and map file.', {
  added: count('How many entries are new.'),
  updated: count('How many existing entries have a changed field.'),
  removed: count('How many entries were removed.'),
  still_claimed_total: Type.Optional(
    count('How many entries lost a claim and are still blocked by others; absent if there were none.'),
  ),
});

export const CommittedMembers = model(
  'CommittedMembers',
  'What a failed change stored; absent if nothing was stored and the cause is known.',
  { committed: Type.Optional(described(CommittedCounts, 'What of the request is durable.')) },
);

export const ScopeMembers = model('ScopeMembers', 'What the key lacks.', {
  missing_scope: Type.Optional(oneOf(scopes, 'The scope that the key needs.')),
});

/** For a set at its maximum number of entries. */
export const fullMembers = {
  current_total: Type.Optional(
    count('How many entries exist; of a claim (6031), how many claims there are beyond the first of each entry.'),
  ),
  would_be: Type.Optional(count('How many entries, or such claims, there would have been (6031).')),
  limit: Type.Optional(count('How many entries, and how many such claims, are allowed (6031).')),
};
