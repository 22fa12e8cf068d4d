import type { ReactNode } from 'react';
import { Loading } from './loading.tsx';
import { ProblemAlert } from './problem-alert.tsx';

interface Query<Data> {
  readonly data: Data | undefined;
  readonly error: unknown;
  readonly refetch: () => unknown;
}

interface ReadProblemProps {
  readonly of: Query<unknown>;
  readonly failed: string;
}

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

interface ReadProps<Data> {
  readonly of: Query<Data>;
  readonly failed: string;
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
