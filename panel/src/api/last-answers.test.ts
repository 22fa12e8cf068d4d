import { expect, it } from 'vitest';
import { LastAnswers } from './last-answers.ts';

const request = (path = '/api/views', method = 'GET') => new Request(`http://panel.test${path}`, { method });
const answer = (text: string, tag: string | null = `"${text}"`, status = 200) =>
  new Response(text, {
    status,
    headers: { 'content-type': 'application/json', 'x-request-id': text, ...(tag === null ? {} : { etag: tag }) },
  });
const unchanged = (id: string) => new Response(null, { status: 304, headers: { 'x-request-id': id } });

it('names the last answer, and returns it while it is the same', async () => {
  const answers = new LastAnswers();
  expect(answers.of(request(), 'k')).toBeNull();
  const first = await answers.complete(request(), answer('1'), null);
  expect([first.status, await first.text()]).toEqual([200, '1']);
  const last = answers.of(request(), 'k');
  expect(last?.tag).toBe('"1"');
  const same = await answers.complete(request(), unchanged('next'), last);
  expect([same.status, same.headers.get('content-type'), await same.text()]).toEqual([200, 'application/json', '1']);
  // Of this request, for the log.
  expect(same.headers.get('x-request-id')).toBe('next');
  await answers.complete(request(), answer('2'), last);
  expect(answers.of(request(), 'k')?.tag).toBe('"2"');
  expect(answers.of(request('/api/other'), 'k')).toBeNull();
});

it('forgets all with another key, but completes an answer that was on its way', async () => {
  const answers = new LastAnswers();
  answers.of(request(), 'first');
  await answers.complete(request(), answer('1'), null);
  const last = answers.of(request(), 'first');
  expect(answers.of(request(), 'second')).toBeNull();
  expect(await (await answers.complete(request(), unchanged('late'), last)).text()).toBe('1');
  expect(answers.of(request(), 'second')).toBeNull();
});

it('keeps only successful answers to GET that have a tag, and not too many', async () => {
  const answers = new LastAnswers();
  answers.of(request(), 'k');
  await answers.complete(request('/a', 'POST'), answer('1'), null);
  await answers.complete(request('/b'), answer('1', '"1"', 503), null);
  await answers.complete(request('/c'), answer('1', null), null);
  for (const path of ['/a', '/b', '/c']) expect(answers.of(request(path), 'k')).toBeNull();
  for (let at = 0; at < 100; at += 1) await answers.complete(request(`/${at}`), answer('1'), null);
  const kept = Array.from({ length: 100 }, (_, at) => answers.of(request(`/${at}`), 'k')).filter((one) => one !== null);
  expect(kept).toHaveLength(40);
  expect(answers.of(request('/99'), 'k')).not.toBeNull();
});
