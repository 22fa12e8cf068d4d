import Type, { type Static } from 'typebox';
import { codes } from '../errors/catalogue.ts';
import { operation } from './operation.ts';
import { count, flag, listOf, model, oneOf, requestModel, text, textOrNull, time, timeOrNull } from './schema.ts';

const tag = 'Notices';
const closed = { additionalProperties: false };

const noticeId = Type.Integer({
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'Its id; newer ones are higher.',
});

const Notice = model('Notice', 'Something that a person on call should know.', {
  id: noticeId,
  type: text('The type of the event that caused it, such as `reload.failed`.'),
  level: oneOf(['failure', 'attention'], '`failure`: something failed. `attention`: check its cause.'),
  title: text('What it is.'),
  detail: textOrNull('More about it; null: nothing, or it is for administrators.'),
  page: text('The page of the panel that shows more.'),
  at: time('When it began.'),
  ended_at: timeOrNull('When its cause ended; null: it continues, or it is about a moment.'),
  read: flag('Whether the key of this request has read it.'),
});

const NoticePage = model('NoticePage', 'Notices, the newest first.', {
  items: listOf(Notice, 'The notices.'),
  unread: count('How many of all notices the key of this request has not read.'),
});
export type NoticePage = Static<typeof NoticePage>;

const NoticesRead = model('NoticesRead', 'Up to where the key of this request has read.', {
  up_to: Type.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'The id of the last notice that was read; 0: none.',
  }),
  unread: count('How many are newer.'),
});
export type NoticesRead = Static<typeof NoticesRead>;

export const listNotices = operation({
  id: 'listNotices',
  method: 'GET',
  path: '/api/notices',
  access: 'read',
  audit: null,
  tag,
  summary: 'List notices',
  description:
    'What a person on call should know: failures, attacks, candidates, certificates that expire. Changes that an operator made are no notices. A notice whose cause ends gets `ended_at`; one that becomes worse, or repeats after a day, is another notice. The newest 1,000 are kept.',
  query: Type.Object(
    {
      limit: Type.Integer({
        minimum: 1,
        maximum: 1000,
        default: 100,
        description: 'The maximum number of notices.',
        mustBe: 'a whole number from 1 to 1000',
        examples: [100],
      }),
    },
    closed,
  ),
  answers: { 200: { description: 'The notices.', schema: NoticePage } },
  examples: { none: { summary: 'None yet', answer: { items: [], unread: 0 } } },
});

const ReadRequest = requestModel('NoticesReadRequest', 'The last notice that was read.', 'a JSON object with up_to', {
  up_to: Type.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'The id of the last notice that was read; the older ones are read too.',
    mustBe: 'the id of a notice, or 0',
  }),
});

export const readNotices = operation({
  id: 'readNotices',
  method: 'PUT',
  path: '/api/notices/read',
  access: 'read',
  audit: null,
  tag,
  summary: 'Mark notices as read',
  description:
    'For the name of the key of this request, and never back: what was read stays read. All sessions of a key share it.',
  body: ReadRequest,
  answers: { 200: { description: 'They are read.', schema: NoticesRead } },
  codes: [codes.NoSuchNotice],
  examples: { none: { summary: 'There are none yet', body: { up_to: 0 }, answer: { up_to: 0, unread: 0 } } },
});

export const noticeOperations = [listNotices, readNotices] as const;
