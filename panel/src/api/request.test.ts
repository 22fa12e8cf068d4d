import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createApi } from './request.ts';

let key: string | null;
let answer: ((response: Response) => void) | null;
const watcher = { answered: vi.fn(), unanswered: vi.fn(), keyRefused: vi.fn() };

beforeEach(() => {
  key = 'first';
  answer = null;
  vi.stubGlobal('window', { location: { origin: 'http://panel.test' } });
  vi.stubGlobal(
    'fetch',
    () =>
      new Promise<Response>((resolve) => {
        answer = resolve;
      }),
  );
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.clearAllMocks();
});

/** Sends a call; the returned function answers it. */
async function sent(): Promise<(response: Response) => Promise<unknown>> {
  const call = createApi(() => key, watcher)
    .GET('/api/session')
    .catch((error: unknown) => error);
  const send = await vi.waitUntil(() => answer);
  return (response) => {
    send(response);
    return call;
  };
}

const refusal = () =>
  new Response(JSON.stringify({ code: 401, detail: 'no' }), {
    status: 401,
    headers: { 'content-type': 'application/problem+json', 'x-request-id': 'r1' },
  });

it('reports an invalid token', async () => {
  const reply = await sent();
  expect(await reply(refusal())).toMatchObject({ status: 401 });
  expect(watcher.keyRefused).toHaveBeenCalledOnce();
  expect(watcher.answered).toHaveBeenCalledOnce();
});

it('does not report the current token when an earlier one is rejected late', async () => {
  const reply = await sent();
  key = 'second';
  expect(await reply(refusal())).toMatchObject({ status: 401 });
  expect(watcher.keyRefused).not.toHaveBeenCalled();
});

it.each([401, 502])(
  'treats a page of status %i of a proxy in between as no response of the service',
  async (status) => {
    const reply = await sent();
    expect(await reply(new Response('<h1>Sorry</h1>', { status }))).toMatchObject({ reason: 'foreign' });
    expect(watcher.answered).not.toHaveBeenCalled();
    expect(watcher.keyRefused).not.toHaveBeenCalled();
    expect(watcher.unanswered).toHaveBeenCalledOnce();
  },
);
