import { expect, test } from 'vitest';
import { ApiProblem, ApiUnreachable, type CallFailure, type Problem } from '../../../src/client/client.ts';
import { changeTitle, sentence } from './problem-alert.tsx';

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

test.each([
  ['the disk is full', undefined, 'The disk is full.'],
  ['nothing, it seems', undefined, 'Nothing, it seems.'],
  ['expires_at: it is not in the future', undefined, 'expires_at: it is not in the future.'],
  ['expires_at is not in the future', undefined, 'expires_at is not in the future.'],
  ['example.com looks like a host name', undefined, 'example.com looks like a host name.'],
  ['https://1.2.3.4/ is not an IP address', undefined, 'https://1.2.3.4/ is not an IP address.'],
  ['fe80::1%eth0 has a zone id', undefined, 'fe80::1%eth0 has a zone id.'],
  ['abc looks like a host name', 'abc', 'abc looks like a host name.'],
  ['it’s over', undefined, 'It’s over.'],
])('%j becomes a sentence that changes no name', (text, typed, said) => {
  expect(sentence(text, typed)).toBe(said);
});
