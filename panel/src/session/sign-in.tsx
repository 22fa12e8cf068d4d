import { Button, Code, Group, PasswordInput, Stack, Text, Title } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { ApiProblem } from '../../../src/client/client.ts';
import { ShieldIcon } from '../parts/icons.tsx';
import { ProblemAlert } from '../parts/problem-alert.tsx';
import styles from '../parts/styles.module.css';
import { keyFault } from './key-fault.ts';
import { useSession, useSessionState } from './session.ts';
import classes from './sign-in.module.css';

export function SignIn() {
  const session = useSession();
  const { ended } = useSessionState();
  const [key, setKey] = useState('');
  const [failure, setFailure] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);

  const fault = key.trim() === '' ? null : keyFault(key.trim());

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (fault !== null) return;
    setBusy(true);
    setFailure(null);
    try {
      await session.signIn(key.trim());
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };

  const wrong = failure instanceof ApiProblem && failure.status === 401;
  return (
    <main className={classes.page}>
      <form className={`${styles.card} ${classes.form}`} onSubmit={submit}>
        <Stack gap="md">
          <Group gap="xs" className={styles.brand}>
            <ShieldIcon size={28} />
            <Title order={1} size="h3">
              proxy-manager
            </Title>
          </Group>
          {ended !== null && failure === null && (
            <Text role="status" size="sm">
              {ended}
            </Text>
          )}
          <PasswordInput
            label="API key"
            value={key}
            onChange={(event) => setKey(event.currentTarget.value)}
            autoComplete="current-password"
            autoFocus
            required
            withAsterisk={false}
            error={fault ?? (wrong ? 'This key is not valid. It may be mistyped, revoked or expired.' : null)}
          />
          {failure !== null && !wrong && <ProblemAlert title="Sign-in failed" error={failure} />}
          <Button type="submit" loading={busy} disabled={key.trim() === '' || fault !== null}>
            Sign in
          </Button>
          <Text size="xs" c="dimmed">
            The admin key is in the file <Code>api-key</Code> in the service’s state folder, usually{' '}
            <Code className={styles.unbroken}>/var/lib/proxy-manager/api-key</Code>. The panel does not store the key.
            The session ends when you sign out, 30 minutes after you close its last tab, or after 12 hours.
          </Text>
        </Stack>
      </form>
    </main>
  );
}
