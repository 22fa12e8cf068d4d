import type { ErrorComponentProps } from '@tanstack/react-router';
import { PageFrame } from '../parts/page-frame.tsx';
import { ProblemAlert } from '../parts/problem-alert.tsx';

/** A page that failed by itself, or whose files could not be fetched (the service is away, or is a newer one now). */
export function PageFailure({ error }: ErrorComponentProps) {
  return (
    <PageFrame title="This page could not be shown">
      <ProblemAlert
        title="Loading it again may help"
        error={error}
        onRetry={() => {
          window.location.reload();
        }}
      />
    </PageFrame>
  );
}
