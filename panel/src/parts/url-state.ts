// State of a page in its URL (tab, search, address): it survives a reload, works with Back, and can be shared.
import { useDebouncedCallback } from '@mantine/hooks';
import { useNavigate, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';

const typingMs = 400;

type UrlState = readonly [value: string, set: (value: string, how?: 'push' | 'replace') => void];

/** One parameter of the URL. `push`: Back returns to the previous value. @param fallback omitted from the URL */
export function useUrlState(name: string, fallback = ''): UrlState {
  const navigate = useNavigate();
  const value = useRouterState({
    select: ({ location }) => (location.search as Readonly<Record<string, string>>)[name] ?? fallback,
  });
  const set: UrlState[1] = (next, how = 'replace') => {
    const search = (
      before: Readonly<Record<string, string | undefined>>,
    ): Readonly<Record<string, string | undefined>> => ({
      ...before,
      [name]: next === fallback ? undefined : next,
    });
    void navigate({ to: '.', search: search, replace: how === 'replace' });
  };
  return [value, set];
}

/** Several parameters that change together. @param empty their names */
export function useUrlValues<Name extends string>(
  empty: Readonly<Record<Name, string>>,
): readonly [Readonly<Record<Name, string>>, (change: Partial<Readonly<Record<Name, string>>>, how?: 'push') => void] {
  const names = Object.keys(empty) as Name[];
  const navigate = useNavigate();
  const values = useRouterState({
    select: ({ location }) => {
      const search = location.search as Readonly<Record<string, string>>;
      return JSON.stringify(Object.fromEntries(names.map((name) => [name, search[name] ?? ''])));
    },
  });
  return [
    JSON.parse(values) as Readonly<Record<Name, string>>,
    (change, how) => {
      const given = Object.fromEntries(
        Object.entries<string | undefined>(change).map(([name, text]) => [name, text === '' ? undefined : text]),
      );
      void navigate({
        to: '.',
        search: (before: Readonly<Record<string, string | undefined>>) => ({ ...before, ...given }),
        replace: how === undefined,
      });
    },
  ];
}

/** Every value stays text: `?q=10` is not a number. */
export function parseSearch(text: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(text));
}

export function stringifySearch(search: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== '');
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return text === '' ? '' : `?${text}`;
}

export function useUrlText(name: string): readonly [string, (text: string) => void] {
  const [texts, setTexts] = useUrlTexts({ [name]: '' });
  return [texts[name] ?? '', (text) => setTexts({ [name]: text })];
}

/** Several texts, such as the fields of a filter. @param empty their names */
export function useUrlTexts<Texts extends Readonly<Record<string, string>>>(
  empty: Texts,
): readonly [Texts, (texts: Texts) => void] {
  const names = Object.keys(empty);
  const navigate = useNavigate();
  const url = useRouterState({
    select: ({ location }) => {
      const search = location.search as Readonly<Record<string, string>>;
      return JSON.stringify(Object.fromEntries(names.map((name) => [name, search[name] ?? ''])));
    },
  });
  const [texts, setTexts] = useState(() => JSON.parse(url) as Texts);
  const written = useRef(url);
  const write = useDebouncedCallback((next: Texts) => {
    written.current = JSON.stringify(Object.fromEntries(names.map((name) => [name, next[name]])));
    const search = Object.fromEntries(
      Object.entries(next).map(([name, text]) => [name, text === '' ? undefined : text]),
    );
    void navigate({
      to: '.',
      search: (before: Readonly<Record<string, string | undefined>>) => ({ ...before, ...search }),
      replace: true,
    });
  }, typingMs);
  // Back, or a link to this page.
  useEffect(() => {
    if (url === written.current) return;
    written.current = url;
    setTexts(JSON.parse(url) as Texts);
  }, [url]);
  return [
    texts,
    (next) => {
      setTexts(next);
      write(next);
    },
  ];
}
