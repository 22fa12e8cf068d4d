import { useDebouncedValue } from '@mantine/hooks';
import { type RefObject, useRef } from 'react';
import type { BlockedQuery } from '../../api/blocked-ips.ts';
import { useUrlState, useUrlText, useUrlValues } from '../../parts/url-state.ts';
import {
  type FilterName,
  type FilterTexts,
  noFilter,
  queryOf,
  readFilter,
  withoutEffect,
} from './filters/list-filter.ts';
import { type Search, searchFor, textSearchFor } from './search.ts';

/** Pause in typing before a search starts, in milliseconds. A text search reads every entry. */
const typingMs = { all: 0, address: 120, text: 350 } as const;

export interface BlockedSearch {
  readonly text: string;
  readonly setText: (text: string) => void;
  readonly filter: FilterTexts;
  /** What the URL has and the list cannot use. */
  readonly invalid: readonly string[];
  /** Set, but the service does not take them together with the search. */
  readonly idle: readonly FilterName[];
  /** `push`: Back returns to the previous filters. */
  readonly setFilter: (change: Partial<FilterTexts>, how?: 'push') => void;
  readonly current: Search;
  readonly settled: Search;
  readonly query: BlockedQuery;
  readonly searchAsText: () => void;
  readonly field: RefObject<HTMLInputElement | null>;
}

/** All of it is in the URL, so that a copied link shows the same rows. */
export function useBlockedSearch(): BlockedSearch {
  const [text, setUrlText] = useUrlText('q');
  const [within, setWithin] = useUrlState('in');
  const [url, setFilter] = useUrlValues(noFilter);
  const field = useRef<HTMLInputElement>(null);
  const interpret = within === 'text' ? textSearchFor : searchFor;
  const current = interpret(text);
  const [settledText] = useDebouncedValue(text, typingMs[current.kind]);
  const settled = interpret(settledText);
  const { filter, invalid } = readFilter(url);
  return {
    text,
    setText: (next) => {
      setUrlText(next);
      if (within !== '') setWithin('');
    },
    filter,
    invalid,
    idle: withoutEffect(filter, settled),
    setFilter,
    current,
    settled,
    query: queryOf(filter, settled),
    searchAsText: () => {
      setWithin('text');
      field.current?.focus();
    },
    field,
  };
}
