import { expect, test } from 'vitest';
import { ApiProblem, ApiUnreachable, type CallFailure, type Problem } from '../../../src/client/client.ts';
import { changeTitle } from './problem-alert.tsx';

test.each<[CallFailure, string]>([
  ['refused', 'It was not done'],
  ['timeout', 'No answer came; whether it was done is not known'],
  ['broken', 'No answer came; whether it was done is not known'],
  ['stranger', 'No answer came; whether it was done is not known'],
  ['aborted', 'No answer came; whether it was done is not known'],
])('a change that ended in %s: %s', (reason, title) => {
  expect(changeTitle(new ApiUnreachable(reason, 'why'), 'It was not done')).toBe(title);
});

test('what the service or the page itself refused was not done', () => {
  const refusal = new ApiProblem({ code: 1, detail: 'why' } as unknown as Problem, new Response(null, { status: 409 }));
  for (const error of [refusal, new Error('more than 100000 at once')])
    expect(changeTitle(error, 'It was not done')).toBe('It was not done');
});
