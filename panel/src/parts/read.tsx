// Data of the service: loading, failed, or shown, possibly stale.
import type { ReactNode } from 'react';
import { Loading } from './loading.tsx';
import { ProblemAlert } from './problem-alert.tsx';

/** The part of a TanStack query used here. */
interface Query<Data> {
  readonly data: Data | undefined;
  readonly error: unknown;
  readonly refetch: () => unknown;
}

export interface ReadProblemProps {
  readonly of: Query<unknown>;
  /** The title without data, such as "Could not load the keys". */
  readonly failed: string;
}

/** Reports a failed query, and that the shown data may be stale. */
export function ReadProblem({ of: query, failed }: ReadProblemProps) {
  if (query.error === null) return null;
  return (
    <ProblemAlert
      title={query.data === undefined ? failed : 'This data may be out of date'}
      error={query.error}
      onRetry={() => void query.refetch()}
    />
  );
}

export interface ReadProps<Data> {
  readonly of: Query<Data>;
  readonly failed: string;
  /** Such as "Loading the keys". */
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
