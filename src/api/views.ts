import Type, { type Static } from 'typebox';
import { codes } from '../errors/catalogue.ts';
import { operation } from './operation.ts';
import { listOf, model, plainName, requestModel, text, time } from './schema.ts';

const tag = 'Saved views';

const params = Type.Object({ name: plainName('The name of the view.', 'dead-entries') });

const pageText = 'The page of the panel that it opens.';
const queryText = 'The filters and the order, as the search string of this page, without the question mark.';

const SavedView = model('SavedView', 'Filters of a list of the panel, saved under a name.', {
  name: text('Its name.'),
  page: text(pageText),
  query: text(queryText),
  created_by: text('The key that created it.'),
  created_at: time('When it was created.'),
  updated_at: time('When it was last changed.'),
});
export type SavedView = Static<typeof SavedView>;

const SavedViews = model('SavedViews', 'All saved views.', {
  items: listOf(SavedView, 'The views, in the order of their names.'),
});

const SavedViewRemoved = model('SavedViewRemoved', 'The removed view.', { name: text('Its name.') });

/** With the characters that RFC 3986 allows in a query. */
const pair = "[A-Za-z_]+=[A-Za-z0-9._~%!$'()*+,;:@/?-]*";

const SavedViewRequest = requestModel('SavedViewRequest', 'The view to save.', 'a JSON object with page and query', {
  page: Type.String({
    minLength: 1,
    maxLength: 100,
    description: pageText,
    mustBe: 'the path of a page of the panel, such as /blocked',
    examples: ['/blocked'],
  }),
  query: Type.String({
    minLength: 1,
    maxLength: 2048,
    pattern: `^${pair}(&${pair})*$`,
    description: queryText,
    mustBe: 'a search string of 1 to 2048 characters, such as source=drop&sort=blocked_at',
    examples: ['sort=blocked_at'],
  }),
});

const view = {
  name: 'dead-entries',
  page: '/blocked',
  query: 'source=drop&sort=blocked_at',
  created_by: 'ops',
  created_at: '2026-11-20T12:00:00.000Z',
  updated_at: '2026-11-20T12:00:00.000Z',
} satisfies SavedView;

export const listViews = operation({
  id: 'listViews',
  method: 'GET',
  path: '/api/views',
  access: 'read',
  audit: null,
  tag,
  summary: 'List the saved views',
  description: 'In the order of their names.',
  answers: { 200: { description: 'The saved views.', schema: SavedViews } },
  examples: { all: { summary: 'One view', answer: { items: [view] } } },
});

export const getView = operation({
  id: 'getView',
  method: 'GET',
  path: '/api/views/:name',
  access: 'read',
  audit: null,
  tag,
  summary: 'Get a saved view',
  description: 'Its page and its filters.',
  params,
  answers: { 200: { description: 'The view.', schema: SavedView } },
  codes: [codes.NotFound],
  examples: { one: { summary: 'A view', path: { name: 'dead-entries' }, answer: view } },
});

export const setView = operation({
  id: 'setView',
  method: 'PUT',
  path: '/api/views/:name',
  access: 'admin',
  audit: 'set_view',
  tag,
  summary: 'Save a view',
  description:
    'Creates or replaces it. All keys see the same views. The service stores the search string and does not interpret it. At most 100 views.',
  params,
  body: SavedViewRequest,
  answers: {
    200: { description: 'The view is changed.', schema: SavedView },
    201: { description: 'The view is created.', schema: SavedView },
  },
  codes: [codes.Conflict],
  examples: {
    new_one: {
      summary: 'A new view',
      path: { name: 'dead-entries' },
      body: { page: '/blocked', query: 'source=drop&sort=blocked_at' },
      status: 201,
      answer: view,
    },
  },
});

export const removeView = operation({
  id: 'removeView',
  method: 'DELETE',
  path: '/api/views/:name',
  access: 'admin',
  audit: 'remove_view',
  tag,
  summary: 'Remove a saved view',
  description: 'For all keys.',
  params,
  answers: { 200: { description: 'The view is removed.', schema: SavedViewRemoved } },
  codes: [codes.NotFound],
  examples: { one: { summary: 'A view', path: { name: 'dead-entries' }, answer: { name: 'dead-entries' } } },
});

export const viewOperations = [listViews, getView, setView, removeView] as const;
