import Type from 'typebox';
import { operation } from './operation.ts';

const tag = 'Events';

/** `<run of the service>-<number>` */
export const eventIdForm = /^[0-9a-f]{1,32}-[0-9]{1,15}$/;

const EventsQuery = Type.Object(
  {
    types: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1024,
        pattern: '^[a-z.]+(,[a-z.]+)*$',
        description: 'Only events of these types.',
        mustBe: 'event types separated by commas, such as entry.blocked,entry.unblocked',
        examples: ['entry.blocked,entry.unblocked'],
      }),
    ),
    last_event_id: Type.Optional(
      Type.String({
        maxLength: 64,
        pattern: eventIdForm.source,
        description: 'Resume after this event. The header `Last-Event-ID` takes precedence.',
        mustBe: 'the id of an event, as it was sent',
        examples: ['5f0c1a9be0d2-17'],
      }),
    ),
  },
  { additionalProperties: false },
);

const EventStream = Type.Unsafe<string>({
  title: 'EventStream',
  type: 'string',
  description:
    'Server-sent events. The data of each is JSON on one line: `id`, `type`, `at`, and `data`, whose fields depend on the type (docs/events.md).',
});

export const streamEvents = operation({
  id: 'streamEvents',
  method: 'GET',
  path: '/api/events',
  access: 'read',
  audit: null,
  tag,
  summary: 'Stream events',
  description:
    'Server-sent events from now on, or from the event after `Last-Event-ID` (or `last_event_id`) on. If that event is no longer among the last 10,000, or is from an earlier run of the service, the stream starts with the event `gap`: fetch again what you show. A comment every 15 s shows that the stream is alive. It ends when the key is revoked or expires, and when the service stops. Events for `admin` only are omitted for other keys.',
  query: EventsQuery,
  answers: {
    200: {
      description: 'The stream.',
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
