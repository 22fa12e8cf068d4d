import { ActionIcon, Anchor, Group, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useAttached, useHealth } from '../../../api/health.ts';
import { useKeys } from '../../../api/keys.ts';
import { useSites } from '../../../api/sites.ts';
import { useSources } from '../../../api/sources.ts';
import { useTrusted } from '../../../api/trusted-ips.ts';
import { CheckIcon, CloseIcon } from '../../../parts/icons.tsx';
import styles from '../../../parts/styles.module.css';
import { useAllowed } from '../../../session/session.ts';
import classes from './first-steps.module.css';
import { firstSteps } from './steps.ts';

/** Remembers in this browser that nothing is left to do. */
const DONE = 'proxy-manager-first-steps-done';

/** Gone when all is done, or hidden. Only administrators may do all of it. */
export function FirstSteps() {
  const admin = useAllowed('admin');
  const attached = useAttached();
  const [done, setDone] = useState(() => localStorage.getItem(DONE) !== null);
  if (done || !admin || attached === undefined) return null;
  const hide = (): void => {
    localStorage.setItem(DONE, 'yes');
    setDone(true);
  };
  return attached === null ? <WithSites onDone={hide} /> : <Steps sites={null} onDone={hide} />;
}

function WithSites({ onDone }: { readonly onDone: () => void }) {
  return <Steps sites={useSites().data?.items.length} onDone={onDone} />;
}

interface StepsProps {
  readonly sites: number | null | undefined;
  readonly onDone: () => void;
}

function Steps({ sites, onDone }: StepsProps) {
  const entries = useHealth().data?.runtime_map.expected;
  const lists = useSources().data?.items.filter(({ kind }) => kind === 'list').length;
  const keys = useKeys().data?.items.filter(({ revoked_at: revoked }) => revoked === null).length;
  const trusted = useTrusted().data?.total;
  const steps = firstSteps({ sites, entries, lists, keys, trusted });
  const all = steps.every(({ done }) => done === true);
  useEffect(() => {
    if (all) onDone();
  }, [all, onDone]);
  if (all || steps.some(({ done }) => done === null)) return null;
  return (
    <section className={styles.card} aria-label="First steps">
      <Group justify="space-between" mb="xs">
        <Title order={2} size="sm">
          First steps
        </Title>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label="Hide first steps"
          title="Hide first steps"
          onClick={onDone}
        >
          <CloseIcon size={16} />
        </ActionIcon>
      </Group>
      <ul className={classes.steps}>
        {steps.map(({ name, about, to, done }) => (
          <li key={name} data-done={done}>
            <span className={classes.box} aria-hidden="true">
              {done === true && <CheckIcon size={14} />}
            </span>
            <div>
              {done === true ? (
                <Text size="sm" c="dimmed">
                  {name}: done
                </Text>
              ) : (
                <>
                  <Anchor size="sm" renderRoot={(props) => <Link to={to} {...props} />}>
                    {name}
                  </Anchor>
                  <Text size="xs" c="dimmed">
                    {about}
                  </Text>
                </>
              )}
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}
