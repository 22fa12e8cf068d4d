import { expect, test } from 'vitest';
import { ApiProblem, ApiUnreachable, type Problem } from '../../../../../src/client/client.ts';
import { failureTitle } from './failure-title.ts';

const untouched = 'It is not live, and nothing was changed';

function problem(status: number, members: object = {}): ApiProblem {
  return new ApiProblem({ code: 1, detail: 'why', ...members } as unknown as Problem, new Response(null, { status }));
}

test.each([
  ['a refusal', problem(422), untouched],
  ['a refusal after which all was put back', problem(422, { restored: true }), untouched],
  ['a refusal after which it was not put back', problem(422, { restore_failure: 'disk full' }), 'The change failed'],
  ['a failure of the service', problem(500), 'The change failed'],
  ['no answer', new ApiUnreachable('broken', 'cut'), 'No answer came; whether it was done is not known'],
])('%s is told as what is known of it', (_, error, title) => {
  expect(failureTitle(error)).toBe(title);
});
