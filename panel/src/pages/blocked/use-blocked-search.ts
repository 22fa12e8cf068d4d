import { useDebouncedValue } from '@mantine/hooks';
import { type RefObject, useRef } from 'react';
import type { BlockedQuery } from '../../api/blocked-ips.ts';
import { useUrlState, useUrlText } from '../../parts/url-state.ts';
import { type Search, searchFor, textSearchFor } from './search.ts';

/** Pause in typing before a search starts, in milliseconds. A text search reads every entry. */
const typingMs = { all: 0, address: 120, text: 350, source: 0 } as const;

export interface BlockedSearch {
  readonly text: string;
  readonly setText: (text: string) => void;
  readonly expiring: boolean;
  readonly setExpiring: (expiring: boolean) => void;
  /** Only what this source claims; empty: all. */
  readonly source: string;
  readonly setSource: (source: string) => void;
  readonly current: Search;
  readonly settled: Search;
  readonly query: BlockedQuery;
  readonly searchAsText: () => void;
  readonly field: RefObject<HTMLInputElement | null>;
}

export function useBlockedSearch(): BlockedSearch {
  const [text, setUrlText] = useUrlText('q');
  const [expiring, setExpiring] = useUrlState('expiring');
  const [within, setWithin] = useUrlState('in');
  const [source, setSource] = useUrlState('source');
  const field = useRef<HTMLInputElement>(null);
  const interpret = (typed: string): Search =>
    source !== '' ? { kind: 'source', source } : within === 'text' ? textSearchFor(typed) : searchFor(typed);
  const current = interpret(text);
  const [settledText] = useDebouncedValue(text, typingMs[current.kind]);
  const settled = interpret(settledText);
  return {
    text,
    setText: (next) => {
      setUrlText(next);
      if (within !== '') setWithin('');
    },
    expiring: expiring !== '' && source === '',
    setExpiring: (on) => setExpiring(on ? 'yes' : ''),
    source,
    setSource,
    current,
    settled,
    query: {
      q: settled.kind === 'address' ? settled.q : '',
      text: settled.kind === 'text' ? settled.text : '',
      expiring: expiring !== '' && source === '',
      source,
    },
    searchAsText: () => {
      setWithin('text');
      field.current?.focus();
    },
    field,
  };
}
