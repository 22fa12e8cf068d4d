import { Center, Stack } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import { ApiProblem } from '../../../src/client/client.ts';
import { Loading } from '../parts/loading.tsx';
import { ProblemAlert } from '../parts/problem-alert.tsx';
import { useSession, useSessionState } from './session.ts';
import { SignIn } from './sign-in.tsx';

const retryMs = 2_000;

export function Gate({ children }: { readonly children: ReactNode }) {
  const { info, hasToken, asksTabs } = useSessionState();
  if (info !== null) return children;
  if (asksTabs) return null;
  return hasToken ? <RestoreSession /> : <SignIn />;
}

/** After a page reload or in a new tab, the token is known but its scopes are not. */
function RestoreSession() {
  const session = useSession();
  const [failure, setFailure] = useState<unknown>(null);
  useEffect(() => {
    let unmounted = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const restore = async (): Promise<void> => {
      try {
        await session.restore();
      } catch (error) {
        if (unmounted) return;
        if (error instanceof ApiProblem && error.status === 401) {
          session.invalidated();
          return;
        }
        setFailure(error);
        timer = setTimeout(() => void restore(), retryMs);
      }
    };
    void restore();
    return () => {
      unmounted = true;
      clearTimeout(timer);
    };
  }, [session]);
  return (
    <Center mih="100vh" p="md" component="main">
      <Stack maw={520}>
        {failure !== null && <ProblemAlert title="Could not restore the session" error={failure} />}
        <Loading what="Connecting" />
      </Stack>
    </Center>
  );
}
