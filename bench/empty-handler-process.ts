// The product's HTTP application with a constant answer: the most that this stack can answer to the same clients.
import { createApp } from '../src/http/app.ts';
import { listen } from '../src/http/listen.ts';
import type { Services } from '../src/http/services.ts';
import { answerCalls } from '../testkit/load/calls.ts';

const answer = {
  ip_address: '192.0.2.1',
  reason: null,
  blocked_by: 'admin',
  blocked_at: '2026-11-20T12:00:00.000Z',
  expires_at: null,
  runtime_map_updated: true,
  runtime_map_failures: [],
  runtime_map_failures_total: 0,
  reload_scheduled: false,
};
const caller = { name: 'admin', scopes: ['admin'] };

const services = {
  blockedSet: { block: async () => ({ created: true, answer }) },
  keys: { authenticate: async () => caller },
  metrics: { answered: () => undefined },
  operations: { ended: () => undefined },
  log: { info: () => undefined, error: () => undefined },
};

const calls = {
  /** Returns its port. */
  async listen(): Promise<number> {
    const app = createApp(services as unknown as Services);
    const { url } = await listen(app, { host: '127.0.0.1', port: 0 });
    return Number(new URL(url).port);
  },
};

export type EmptyHandlerCalls = typeof calls;

answerCalls(calls);
