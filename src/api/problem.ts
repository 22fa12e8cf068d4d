// Errors, and what some of them have beside the members that all have.
import Type from 'typebox';
import { scopes } from '../domain/scope.ts';
import { catalogue } from '../errors/catalogue.ts';
import { count, listOf, model, oneOf, text } from './schema.ts';

const FieldError = model('FieldError', 'One field of the request and what is wrong with it.', {
  name: text('The field, such as `servers[0].port`.'),
  description: text('What is wrong with it, and what would be right.'),
});

/** RFC 9457. Never compiled into a serialiser: errors are encoded by `http/error-replies.ts`. */
export const Problem = model(
  'Problem',
  'An error (RFC 9457). Callers look at `code`; people read `detail`. Some have members of their own beside these, which the operation names.',
  {
    type: text('Names the code and nothing else, so it is stable; it cannot be fetched.'),
    title: text('The same words for every error of this code.'),
    status: Type.Integer({ minimum: 400, maximum: 599, description: 'The HTTP status.' }),
    detail: text('What happened to which thing, why, and what to do.'),
    code: Type.Unsafe<number>({
      type: 'integer',
      enum: [...catalogue.keys()],
      description: 'A number that names one kind and one message, for good.',
    }),
    kind: text('The family of the code, one word.'),
    op: text('The operation that failed.'),
    errors: listOf(FieldError, 'The fields of the request that were refused; empty where it is not about fields.'),
    request_id: text('The id of the request, as in `X-Request-Id`.'),
  },
);

/** What of a change that failed is durable. */
export const CommittedMembers = model(
  'CommittedMembers',
  'What of a change that failed is durable; absent where nothing is and the cause is known.',
  {
    committed: Type.Optional({
      ...model('CommittedCounts', 'Entries of this request that are stored in database and map file.', {
        added: count('How many entries are new.'),
        updated: count('How many entries had a field changed.'),
        removed: count('How many entries are gone.'),
      }),
      fieldSays: 'What of the request is durable.',
    }),
  },
);

export const ScopeMembers = model('ScopeMembers', 'What the key lacks.', {
  missing_scope: Type.Optional(oneOf(scopes, 'The scope that the key needs.')),
});

/** Of a set with as many entries as it takes. */
export const fullMembers = {
  current_total: Type.Optional(count('How many entries there are.')),
  would_be: Type.Optional(count('How many there would have been (6031).')),
  limit: Type.Optional(count('How many entries the set takes at most (6031).')),
};
