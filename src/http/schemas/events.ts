import Type from 'typebox';

/** `<run of the service>-<number>`. */
export const eventIdForm = /^[0-9a-f]{1,32}-[0-9]{1,15}$/;

export const EventsQuery = Type.Object(
  {
    types: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1024,
        pattern: '^[a-z.]+(,[a-z.]+)*$',
        description: 'types of events with commas between, such as entry.blocked,entry.unblocked',
      }),
    ),
    last_event_id: Type.Optional(
      Type.String({ maxLength: 64, pattern: eventIdForm.source, description: 'the id of an event, as it was sent' }),
    ),
  },
  { additionalProperties: false },
);
