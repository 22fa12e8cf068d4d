// The events of a service as they arrive.
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { eventually } from './conditions.ts';
import type { RealService } from './real-service.ts';

export interface EventStream {
  /** As received. */
  readonly text: string;
  /** Of all events so far, in order. */
  readonly types: readonly string[];
  close(): void;
}

/** All events of this run of the service, also earlier ones. */
export async function listenFromStart(service: RealService): Promise<EventStream> {
  const stream = await listenTo(service);
  const boot = await eventually('the stream has a position', () => /^id: (\w+)-\d+$/m.exec(stream.text)?.[1]);
  stream.close();
  return await listenTo(service, `${boot}-0`);
}

/** @param after id of the last event that is known */
export async function listenTo(service: RealService, after?: string): Promise<EventStream> {
  const headers = { authorization: `Bearer ${service.key}`, ...(after !== undefined && { 'last-event-id': after }) };
  const request = get({ host: '127.0.0.1', port: service.apiPort, path: '/api/events', headers, agent: false });
  request.on('error', () => undefined);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  let received = '';
  response.setEncoding('utf8').on('data', (text: string) => {
    received += text;
  });
  response.on('error', () => undefined);
  return {
    get text() {
      return received;
    },
    get types() {
      return [...received.matchAll(/^event: (.*)$/gm)].map(([, type]) => type!);
    },
    close: () => request.destroy(),
  };
}
