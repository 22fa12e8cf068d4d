import type { ReactNode } from 'react';
import { isInsightLoading, isInsightOff } from '../api/insight.ts';
import { EmptyState } from './empty-state.tsx';
import { Loading } from './loading.tsx';
import styles from './styles.module.css';

interface WhereCountedProps {
  /** Of a request for figures. */
  readonly error: unknown;
  readonly children: ReactNode;
}

/** Figures of denied requests, or why the service has none. */
export function WhereCounted({ error, children }: WhereCountedProps) {
  if (isInsightOff(error))
    return (
      <section className={styles.card} aria-label="Denied requests">
        <EmptyState title="Denied requests are not counted">
          The setting PROXY_MANAGER_INSIGHT is off. Blocking does not depend on it.
        </EmptyState>
      </section>
    );
  if (isInsightLoading(error)) return <Loading what="The service is reading its stored figures" />;
  return children;
}
