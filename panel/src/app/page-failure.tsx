import type { ErrorComponentProps } from '@tanstack/react-router';
import { PageFrame } from '../parts/page-frame.tsx';
import { ProblemAlert } from '../parts/problem-alert.tsx';

/** Messages of browsers and Vite for files that could not be fetched. */
const fetchFailure = /preload CSS|dynamically imported module|module script failed/i;

export function PageFailure({ error }: ErrorComponentProps) {
  const fetchFailed = error instanceof Error && fetchFailure.test(error.message);
  return (
    <PageFrame title="Could not show this page" isInHeader={false}>
      <ProblemAlert
        title={fetchFailed ? 'Could not load the page from the service' : 'Reloading the page may help'}
        error={
          fetchFailed
            ? new Error('the service does not respond, or was updated. Reload the page once it responds')
            : error
        }
        onRetry={() => {
          window.location.reload();
        }}
      />
    </PageFrame>
  );
}
