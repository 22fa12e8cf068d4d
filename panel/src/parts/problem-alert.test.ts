import { expect, test } from 'vitest';
import { ApiProblem, ApiUnreachable, type CallFailure, type Problem } from '../../../src/client/client.ts';
import { changeTitle, sentence } from './problem-alert.tsx';

test.each<[CallFailure, string]>([
  ['refused', 'Not made'],
  ['timeout', 'No response: the change may or may not have been made'],
  ['broken', 'No response: the change may or may not have been made'],
  ['foreign', 'No response: the change may or may not have been made'],
  ['aborted', 'No response: the change may or may not have been made'],
])('titles a change that ended in %s: %s', (reason, title) => {
  expect(changeTitle(new ApiUnreachable(reason, 'why'), 'Not made')).toBe(title);
});

test('reports a change that the service or the page rejected as not made', () => {
  const refusal = new ApiProblem({ code: 1, detail: 'why' } as unknown as Problem, new Response(null, { status: 409 }));
  for (const error of [refusal, new Error('more than 100000 at once')])
    expect(changeTitle(error, 'Not made')).toBe('Not made');
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
])('makes a sentence of %j without changing names', (text, typed, said) => {
  expect(sentence(text, typed)).toBe(said);
});
