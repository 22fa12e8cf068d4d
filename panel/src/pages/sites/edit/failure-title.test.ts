import { expect, test } from 'vitest';
import { ApiProblem, ApiUnreachable, type Problem } from '../../../../../src/client/client.ts';
import { failureTitle } from './failure-title.ts';

const untouched = 'Not applied; nothing was changed';

function problem(status: number, members: object = {}): ApiProblem {
  return new ApiProblem({ code: 1, detail: 'why', ...members } as unknown as Problem, new Response(null, { status }));
}

test.each([
  ['a rejection', problem(422), untouched],
  ['a rejection with a restored configuration', problem(422, { restored: true }), untouched],
  ['a rejection without a restored configuration', problem(422, { restore_failure: 'disk full' }), 'The change failed'],
  ['a failure of the service', problem(500), 'The change failed'],
  ['no response', new ApiUnreachable('broken', 'cut'), 'No response: the change may or may not have been made'],
])('titles %s by what is certain', (_, error, title) => {
  expect(failureTitle(error)).toBe(title);
});
