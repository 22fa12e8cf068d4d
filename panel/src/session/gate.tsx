// No page is shown before it is known what the key may do.
import { Center, Stack } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import { ApiProblem } from '../../../src/client/client.ts';
import { Loading } from '../parts/loading.tsx';
import { ProblemAlert } from '../parts/problem-alert.tsx';
import { useSession, useSessionState } from './session.ts';
import { SignIn } from './sign-in.tsx';

/** How often a service that does not answer is asked again whose session this is. */
const retryMs = 2_000;

export function Gate({ children }: { readonly children: ReactNode }) {
  const { info, hasToken, asksTabs } = useSessionState();
  if (info !== null) return children;
  if (asksTabs) return null;
  return hasToken ? <Recognising /> : <SignIn />;
}

/** After a reload of the page, or in a new tab: the token is here, whose it is has to be asked. */
function Recognising() {
  const session = useSession();
  const [failure, setFailure] = useState<unknown>(null);
  useEffect(() => {
    let over = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = async (): Promise<void> => {
      try {
        await session.look();
      } catch (error) {
        if (over) return;
        if (error instanceof ApiProblem && error.status === 401) {
          session.timedOut();
          return;
        }
        setFailure(error);
        timer = setTimeout(() => void look(), retryMs);
      }
    };
    void look();
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [session]);
  return (
    <Center mih="100vh" p="md" component="main">
      <Stack maw={520}>
        {failure !== null && <ProblemAlert title="The panel cannot go on yet" error={failure} />}
        <Loading what="Asking the service" />
      </Stack>
    </Center>
  );
}
