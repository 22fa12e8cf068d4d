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

/** A call that has been sent, and how it is answered. */
async function asked(): Promise<(response: Response) => Promise<unknown>> {
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

it('tells that the key is not taken any more', async () => {
  const reply = await asked();
  expect(await reply(refusal())).toMatchObject({ status: 401 });
  expect(watcher.keyRefused).toHaveBeenCalledOnce();
  expect(watcher.answered).toHaveBeenCalledOnce();
});

it('tells nothing of the key of now when the one before it is refused late', async () => {
  const reply = await asked();
  key = 'second';
  expect(await reply(refusal())).toMatchObject({ status: 401 });
  expect(watcher.keyRefused).not.toHaveBeenCalled();
});

it.each([401, 502])(
  'a page of status %i from between is no answer of the service, nor its word on the key',
  async (status) => {
    const reply = await asked();
    expect(await reply(new Response('<h1>Sorry</h1>', { status }))).toMatchObject({ reason: 'stranger' });
    expect(watcher.answered).not.toHaveBeenCalled();
    expect(watcher.keyRefused).not.toHaveBeenCalled();
    expect(watcher.unanswered).toHaveBeenCalledOnce();
  },
);
