import Type from 'typebox';
import { operation } from './operation.ts';

const tag = 'Events';

/** `<run of the service>-<number>`. */
export const eventIdForm = /^[0-9a-f]{1,32}-[0-9]{1,15}$/;

const EventsQuery = Type.Object(
  {
    types: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1024,
        pattern: '^[a-z.]+(,[a-z.]+)*$',
        mustBe: 'types of events with commas between, such as entry.blocked,entry.unblocked',
      }),
    ),
    last_event_id: Type.Optional(
      Type.String({ maxLength: 64, pattern: eventIdForm.source, mustBe: 'the id of an event, as it was sent' }),
    ),
  },
  { additionalProperties: false },
);

const EventStream = Type.Unsafe<string>({
  title: 'EventStream',
  type: 'string',
  description:
    'Server-sent events. The data of each is JSON on one line: `id`, `type`, `at`, and `data` by the type; docs/events.md of the project has them all.',
});

export const streamEvents = operation({
  id: 'streamEvents',
  method: 'GET',
  path: '/api/events',
  access: 'read',
  audit: null,
  tag,
  summary: 'Stream what happens',
  description:
    'Server-sent events, from now on; after the id of `Last-Event-ID` (or `last_event_id`) what came since. An id that is not in the ring of the last 10,000 events any more, or is of an earlier run of the service, is answered with the event `gap`: fetch anew what you show. A comment every 15 s shows that the stream lives. It ends when the key does, and with the service. What only `admin` may see is left out for others.',
  query: EventsQuery,
  answers: {
    200: {
      description: 'The stream. It does not end by itself.',
      content: { 'text/event-stream': EventStream },
    },
  },
  examples: {
    of_blocks: {
      summary: 'Blocks and unblocks, as they happen',
      query: { types: 'entry.blocked,entry.unblocked' },
      accept: 'text/event-stream',
      answer:
        'retry: 2000\nid: 5f0c1a9be0d2-17\n\nid: 5f0c1a9be0d2-18\nevent: entry.unblocked\ndata: {"id":"5f0c1a9be0d2-18","type":"entry.unblocked","at":"2026-11-20T12:15:02.117Z","data":{"ip_address":"203.0.113.7","by":"ann","runtime_map_updated":true}}\n\n',
    },
  },
});

export const eventOperations = [streamEvents] as const;
