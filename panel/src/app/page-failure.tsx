import type { ErrorComponentProps } from '@tanstack/react-router';
import { PageFrame } from '../parts/page-frame.tsx';
import { ProblemAlert } from '../parts/problem-alert.tsx';

/** What browsers and Vite say of a page's files that could not be fetched. */
const notFetched = /preload CSS|dynamically imported module|module script failed/i;

/** A page that failed by itself, or whose files could not be fetched (the service is away, or is a newer one now). */
export function PageFailure({ error }: ErrorComponentProps) {
  const away = error instanceof Error && notFetched.test(error.message);
  return (
    <PageFrame title="This page could not be shown">
      <ProblemAlert
        title={away ? 'It could not be fetched from the service' : 'Loading it again may help'}
        error={
          away
            ? new Error(
                'the service did not answer, or is another version by now. Loading it again helps once it answers',
              )
            : error
        }
        onRetry={() => {
          window.location.reload();
        }}
      />
    </PageFrame>
  );
}
