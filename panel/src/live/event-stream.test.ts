import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiProblem, type Problem } from '../../../src/client/client.ts';
import { EventStream } from './event-stream.ts';
import type { ServiceEvent } from './service-event.ts';

interface Opened {
  readonly lastId: string | null;
  readonly signal: AbortSignal;
  send(text: string): void;
  end(): void;
}

const line = (id: string, type = 'entry.blocked') =>
  `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify({ id, type, at: '2026-11-21T20:00:00Z', data: {} })}\n\n`;

describe('the event stream', () => {
  let opened: Opened[];
  let heard: ServiceEvent[];
  let refuse: unknown;
  let stream: EventStream;
  beforeEach(() => {
    vi.useFakeTimers();
    opened = [];
    heard = [];
    refuse = null;
    stream = new EventStream({
      open: async (lastId, signal) => {
        if (refuse !== null) throw refuse;
        let controller!: ReadableStreamDefaultController<Uint8Array>;
        const body = new ReadableStream<Uint8Array>({
          start: (it) => {
            controller = it;
          },
        });
        signal.addEventListener('abort', () => controller.error(signal.reason));
        opened.push({
          lastId,
          signal,
          send: (text) => controller.enqueue(new TextEncoder().encode(text)),
          end: () => controller.close(),
        });
        return body;
      },
      onEvent: (event) => void heard.push(event),
      silence: 40_000,
      firstPause: 500,
      longestPause: 15_000,
    });
  });
  afterEach(() => {
    stream.stop();
    vi.useRealTimers();
  });

  const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);

  it('is live once it is connected, not before', async () => {
    expect(stream.state.kind).toBe('off');
    stream.start();
    expect(stream.state.kind).toBe('opening');
    await pass(0);
    expect(stream.state.kind).toBe('live');
  });

  it('reads events whatever chunks their bytes arrive in', async () => {
    stream.start();
    await pass(0);
    for (const character of line('a-1') + line('a-2')) opened[0]?.send(character);
    await pass(0);
    expect(heard.map(({ id }) => id)).toEqual(['a-1', 'a-2']);
  });

  it('reconnects after the last event, and reports since when it was disconnected', async () => {
    stream.start();
    await pass(0);
    // The position in a heartbeat counts too.
    opened[0]?.send(`${line('a-1')}: \nid: a-7\n\n`);
    await pass(0);
    opened[0]?.end();
    await pass(0);
    expect(stream.state).toMatchObject({ kind: 'lost', since: Date.now(), retryAt: Date.now() + 500 });
    await pass(500);
    expect(stream.state.kind).toBe('live');
    expect(opened.map(({ lastId }) => lastId)).toEqual([null, 'a-7']);
  });

  it('is no longer live when no heartbeat arrives', async () => {
    stream.start();
    await pass(0);
    await pass(39_000);
    opened[0]?.send(': \n\n');
    await pass(39_000);
    expect(stream.state.kind).toBe('live');
    await pass(1_000);
    expect(stream.state).toMatchObject({ kind: 'lost', why: { message: expect.stringContaining('heartbeat') } });
  });

  it('backs off up to 15 s, honours Retry-After, and starts again after a success', async () => {
    refuse = new Error('away');
    stream.start();
    const waits: number[] = [];
    for (let round = 0; round < 7; round += 1) {
      await pass(0);
      const { state } = stream;
      if (state.kind !== 'lost') throw new Error(state.kind);
      expect(state.since).toBe(
        state.retryAt - waits.reduce((sum, wait) => sum + wait, 0) - (state.retryAt - Date.now()),
      );
      waits.push(state.retryAt - Date.now());
      await pass(state.retryAt - Date.now());
    }
    expect(waits).toEqual([500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000]);
    refuse = null;
    await pass(15_000);
    opened[0]?.end();
    refuse = new ApiProblem(
      { detail: 'too many' } as Problem,
      new Response(null, { status: 503, headers: { 'retry-after': '7' } }),
    );
    await pass(0);
    expect(stream.state).toMatchObject({ retryAt: Date.now() + 500 });
    await pass(500);
    expect(stream.state).toMatchObject({ retryAt: Date.now() + 7_000 });
  });

  it('closes its connection when stopped, and resumes after the last event', async () => {
    stream.start();
    await pass(0);
    opened[0]?.send(line('a-3'));
    await pass(0);
    stream.stop();
    await pass(60_000);
    expect(opened[0]?.signal.aborted).toBe(true);
    expect(opened).toHaveLength(1);
    expect(stream.state.kind).toBe('off');
    stream.start();
    await pass(0);
    expect(opened[1]?.lastId).toBe('a-3');
  });

  it('ignores data that is not an event', async () => {
    stream.start();
    await pass(0);
    for (const data of ['{', '[]', '{"id":1}', 'null', '{"id":"a","type":"b","data":[]}'])
      opened[0]?.send(`data: ${data}\n\n`);
    opened[0]?.send(line('a-9'));
    await pass(0);
    expect(heard.map(({ id }) => id)).toEqual(['a-9']);
  });
});
