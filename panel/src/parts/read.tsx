// What is read from the service: not there yet, not to be had, there, or there and perhaps old.
import type { ReactNode } from 'react';
import { Loading } from './loading.tsx';
import { ProblemAlert } from './problem-alert.tsx';

/** Of a query of TanStack, what is looked at here. */
interface Query<Data> {
  readonly data: Data | undefined;
  readonly error: unknown;
  readonly refetch: () => unknown;
}

export interface ReadProblemProps {
  readonly of: Query<unknown>;
  /** The title while there is nothing to show, such as "The keys could not be read". */
  readonly failed: string;
}

/** Says that it could not be read, and whether that makes what is shown old; nothing where it could. */
export function ReadProblem({ of: query, failed }: ReadProblemProps) {
  if (query.error === null) return null;
  return (
    <ProblemAlert
      title={query.data === undefined ? failed : 'What you see may be old'}
      error={query.error}
      onRetry={() => void query.refetch()}
    />
  );
}

export interface ReadProps<Data> {
  readonly of: Query<Data>;
  readonly failed: string;
  /** Such as "Reading the keys". */
  readonly loading: string;
  readonly children: (data: Data) => ReactNode;
}

export function Read<Data>({ of: query, failed, loading, children }: ReadProps<Data>) {
  return (
    <>
      <ReadProblem of={query} failed={failed} />
      {query.data === undefined ? query.error === null && <Loading what={loading} /> : children(query.data)}
    </>
  );
}
