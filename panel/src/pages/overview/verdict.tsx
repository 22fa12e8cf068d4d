import { Button, Group, List, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { count, counted } from '../../../../src/domain/counted.ts';
import { sync, useBlockedChange } from '../../api/blocked-ips.ts';
import { useReload } from '../../api/config.ts';
import { useHealth } from '../../api/health.ts';
import type { Health, ReloadAnswer, SyncAnswer } from '../../api/types.ts';
import { enforcement, isStale } from '../../app/enforcement.ts';
import { Age, spanText, useNow } from '../../parts/age.tsx';
import { changeTitle, ProblemAlert, sentence } from '../../parts/problem-alert.tsx';
import { reloadWords } from '../../parts/reload-words.ts';
import { ReplaceConsent } from '../../parts/replace-consent.tsx';
import styles from '../../parts/styles.module.css';
import { toast } from '../../parts/toasts.tsx';
import { useAllowed, useSessionState } from '../../session/session.ts';
import { manualFix, remediesFor } from './health/parts-of-health.ts';
import classes from './overview.module.css';

export function Verdict() {
  const health = useHealth();
  const now = useNow();
  const age = health.data === undefined ? null : Math.max(0, now - health.dataUpdatedAt);
  const reachable = useSessionState().unreachableSince === null;
  const { tone, words } = enforcement(health.data, age, reachable);
  const stale = isStale(age, reachable);
  const reasons = health.data?.reasons ?? [];
  const verified = health.data?.runtime_map.last_verified_at ?? null;
  return (
    <section className={classes.verdict} data-tone={tone} aria-label="Blocking status">
      <Group gap="sm" align="baseline">
        <Group gap={10} wrap="nowrap" data-tone={tone} align="baseline">
          <span className={`${styles.dot} ${classes.verdictDot}`} data-tone={tone} aria-hidden="true" />
          <Title order={2} size="h2">
            {words}
          </Title>
        </Group>
        {!stale && health.data?.status === 'ok' && (
          <Text size="sm" c="dimmed" component="span">
            {counted(health.data.runtime_map.expected, 'entry', 'entries')}
            {verified === null ? ' in every HAProxy worker' : ', verified in every HAProxy worker '}
            {verified !== null && <Age time={verified} />}
          </Text>
        )}
        {!stale && health.data?.status === 'ok' && <Remedies health={health.data} />}
      </Group>
      {health.data !== undefined && age !== null && stale && (
        <Text size="sm">The last response is {spanText(age)} old; everything below dates from then.</Text>
      )}
      {health.isError && health.data === undefined && (
        <ProblemAlert title="Could not load the health status" error={health.error} />
      )}
      {reasons.length > 0 && (
        <List size="sm" spacing={2} my={6}>
          {reasons.map((reason) => (
            <List.Item key={reason} className={styles.wrap}>
              {sentence(reason)}
            </List.Item>
          ))}
        </List>
      )}
      {!stale && health.data !== undefined && health.data.status !== 'ok' && <Remedies health={health.data} />}
    </section>
  );
}

function Remedies({ health }: { readonly health: Health }) {
  const mayBlock = useAllowed('block');
  const admin = useAllowed('admin');
  const repair = useBlockedChange((api) => sync(api));
  const reload = useReload();
  const remedies = remediesFor(health);
  const needsSync = remedies.includes('sync');
  const needsReload = remedies.includes('reload');
  const failure = repair.error ?? reload.error;
  const reloaded = (answer: ReloadAnswer): void => toast({ title: 'HAProxy reloaded', words: reloadWords(answer) });
  return (
    <Stack gap="xs" align="flex-start">
      <Group gap="xs">
        {admin && remedies.includes('front-ends') && (
          <Button size="compact-sm" renderRoot={(props) => <Link to="/configuration" {...props} />}>
            Show front ends
          </Button>
        )}
        {mayBlock && (health.status === 'ok' || needsSync || needsReload) && (
          <Button
            size="compact-sm"
            variant={needsSync ? 'filled' : 'subtle'}
            loading={repair.isPending}
            onClick={() => repair.mutate(undefined, { onSuccess: (answer) => toast(syncWords(answer)) })}
          >
            {needsSync ? 'Verify and repair entries' : 'Verify entries'}
          </Button>
        )}
        {admin && needsReload && (
          <Button
            size="compact-sm"
            loading={reload.isPending}
            onClick={() => reload.mutate({}, { onSuccess: reloaded })}
          >
            Reload HAProxy
          </Button>
        )}
        {remedies.includes('certificates') && (
          <Button size="compact-sm" renderRoot={(props) => <Link to="/certificates" {...props} />}>
            Show certificates
          </Button>
        )}
      </Group>
      {health.status !== 'ok' && remedies.length === 0 && <Text size="sm">{manualFix(health)}</Text>}
      {failure !== null && (
        <ProblemAlert
          title={changeTitle(
            failure,
            repair.error === null ? 'HAProxy was not reloaded' : 'Could not verify the entries',
          )}
          error={failure}
        >
          <ReplaceConsent
            error={failure}
            busy={reload.isPending}
            onReplace={() => reload.mutate({ replace: true }, { onSuccess: reloaded })}
          />
        </ProblemAlert>
      )}
    </Stack>
  );
}

function syncWords(answer: SyncAnswer) {
  const repaired = answer.added + answer.removed;
  const words = `${counted(answer.total_ips, 'entry', 'entries')} verified, ${count(repaired)} repaired.`;
  if (answer.runtime_map_synced) return { title: 'Running map in sync', words };
  const follows = answer.reload_scheduled ? ' A reload is scheduled.' : '';
  return {
    title: 'Running map still out of sync',
    words: `${words}${answer.reason === undefined ? '' : ` ${sentence(answer.reason)}`}${follows}`,
    tone: 'warn' as const,
  };
}
