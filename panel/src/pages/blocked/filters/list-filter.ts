// Filters and order of the list, as they are in the URL: with the names of the API, so that a saved view that another
// program wrote opens here too.
import { parseDuration } from '../../../../../src/domain/duration.ts';
import { parseTime } from '../../../../../src/domain/rfc3339.ts';
import {
  allBlocked,
  type BlockedQuery,
  type Selected,
  type SortColumn,
  sortColumns,
} from '../../../api/blocked-ips.ts';
import type { Search } from '../search.ts';

export const filterNames = [
  'source',
  'expiring',
  'family',
  'wider_than',
  'blocked_since',
  'not_hit_for',
  'hit_within',
  'sort',
  'order',
] as const;
export type FilterName = (typeof filterNames)[number];
/** Empty: not set. */
export type FilterTexts = Readonly<Record<FilterName, string>>;

export const noFilter: FilterTexts = {
  source: '',
  expiring: '',
  family: '',
  wider_than: '',
  blocked_since: '',
  not_hit_for: '',
  hit_within: '',
  sort: '',
  order: '',
};

const daySeconds = 86_400;
const longestSeconds = 400 * daySeconds;

const isValid: Readonly<Record<FilterName, (text: string, all: FilterTexts) => boolean>> = {
  source: () => true,
  expiring: (text) => text === 'yes' || text === 'true',
  family: (text) => text === 'ipv4' || text === 'ipv6',
  wider_than: (text, { family }) => /^\d{1,3}$/.test(text) && +text >= 2 && +text <= (family === 'ipv6' ? 128 : 32),
  blocked_since: (text) => parseDuration(text).ok || parseTime(text).ok,
  not_hit_for: (text) => {
    const duration = parseDuration(text);
    return duration.ok && duration.value >= daySeconds && duration.value <= longestSeconds;
  },
  hit_within: (text) => {
    const duration = parseDuration(text);
    return duration.ok && duration.value <= longestSeconds;
  },
  sort: isSortColumn,
  order: (text) => text === 'asc' || text === 'desc',
};

function isSortColumn(text: string): text is SortColumn {
  return (sortColumns as readonly string[]).includes(text);
}

interface ReadFilter {
  readonly filter: FilterTexts;
  /** What the URL has and the list cannot use, such as `family=ipv5`. */
  readonly invalid: readonly string[];
}

export function readFilter(url: FilterTexts): ReadFilter {
  const invalid = filterNames.filter((name) => url[name] !== '' && !isValid[name](url[name], url));
  const filter = { ...url };
  for (const name of invalid) filter[name] = '';
  return { filter, invalid: invalid.map((name) => `${name}=${url[name]}`) };
}

/** The filters that the service does not take together with this search or with `not_hit_for`. */
export function withoutEffect(filter: FilterTexts, search: Search): readonly FilterName[] {
  const set = filterNames.filter((name) => filter[name] !== '');
  if (search.kind !== 'all') return set.filter((name) => name !== 'expiring');
  return filter.not_hit_for === '' ? [] : set.filter((name) => name !== 'source' && name !== 'not_hit_for');
}

export function queryOf(filter: FilterTexts, search: Search): BlockedQuery {
  const used: Record<FilterName, string> = { ...filter };
  for (const name of withoutEffect(filter, search)) used[name] = '';
  const { expiring, family, sort, order, ...texts } = used;
  return {
    ...allBlocked,
    ...texts,
    q: search.kind === 'address' ? search.q : '',
    text: search.kind === 'text' ? search.text : '',
    expiring: expiring !== '',
    family: family === 'ipv4' || family === 'ipv6' ? family : '',
    sort: isSortColumn(sort) && sort !== 'address' ? sort : '',
    order: order === 'desc' ? 'desc' : '',
  };
}

/** Whether any entry may be left out. */
export function isFiltered({ sort: _sort, order: _order, ...query }: BlockedQuery): boolean {
  return Object.values(query).some((value) => value !== '' && value !== false);
}

/** What selects exactly the entries of the list for one request; null: the service has no such filter. */
export function selectedBy(list: BlockedQuery): Selected | null {
  const { q, text, expiring, hit_within: hitWithin, sort: _sort, order: _order, ...query } = list;
  if (q !== '' || text !== '' || expiring || hitWithin !== '') return null;
  const { wider_than: wider, ...texts } = query;
  const given = Object.fromEntries(Object.entries(texts).filter(([, value]) => value !== ''));
  const selected: Selected = { ...given, ...(wider === '' ? {} : { wider_than: Number(wider) }) };
  return Object.keys(selected).length === 0 ? null : selected;
}
