// A view is the search string of the list: filters and order, without the open entry.
import { stringifySearch } from '../../../parts/url-state.ts';
import { type FilterTexts, filterNames, noFilter } from '../filters/list-filter.ts';

export interface View {
  readonly name: string;
  readonly search: ViewSearch;
}

export interface ViewSearch extends FilterTexts {
  readonly q: string;
  readonly in: string;
}

const emptyView: ViewSearch = { ...noFilter, q: '', in: '' };
const names = ['q', 'in', ...filterNames] as const;

/** Those that every panel has. */
export const ownViews: readonly View[] = [
  { name: 'Knocking', search: { ...emptyView, hit_within: '24h', sort: 'hits', order: 'desc' } },
  { name: 'All', search: emptyView },
  { name: 'Newest', search: { ...emptyView, sort: 'blocked_at', order: 'desc' } },
  { name: 'Expiring', search: { ...emptyView, expiring: 'yes', sort: 'expires_at' } },
  { name: 'Never matched, 90 d', search: { ...emptyView, not_hit_for: '90d' } },
  { name: 'Wider than /20', search: { ...emptyView, wider_than: '20' } },
];

/** All entries in another order: their number is that of *All*. */
export function onlyOrders(search: ViewSearch): boolean {
  return !isSameView(search, emptyView) && isSameView({ ...search, sort: '', order: '' }, emptyView);
}

/** Parameters that the list does not have are left out. @param query the search string of a saved view */
export function viewSearch(query: string): ViewSearch {
  const given = new URLSearchParams(query);
  return Object.fromEntries(names.map((name) => [name, given.get(name) ?? ''])) as unknown as ViewSearch;
}

/** The search string to save; empty for all entries. */
export function viewQuery(search: ViewSearch): string {
  return stringifySearch(search as unknown as Readonly<Record<string, string>>).slice(1);
}

export function isSameView(one: ViewSearch, other: ViewSearch): boolean {
  return names.every((name) => plain(one, name) === plain(other, name));
}

/** The default is the same, written or not. */
function plain(search: ViewSearch, name: keyof ViewSearch): string {
  const text = search[name];
  if (name === 'order' && text === 'asc') return '';
  if (name === 'sort' && text === 'address') return '';
  return name === 'expiring' && text === 'true' ? 'yes' : text;
}
