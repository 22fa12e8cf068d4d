// What the configuration page has in both modes: validation, reload, their outcomes, and tabs.
import { Button, Tabs } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useValidate } from '../../api/config.ts';
import type { ReloadAnswer } from '../../api/types.ts';
import { CheckIcon, RefreshIcon } from '../../parts/icons.tsx';
import { PageFrame } from '../../parts/page-frame.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { useUrlState } from '../../parts/url-state.ts';
import { useSession } from '../../session/session.ts';
import { Reloaded, Validated } from './outcomes.tsx';

interface Tab {
  readonly value: string;
  readonly label: string;
  readonly content: ReactNode;
}

interface ReloadOutcome {
  clear(): void;
  show(answer: ReloadAnswer): void;
}

interface ConfigurationFrameProps {
  readonly about: string;
  readonly banner: ReactNode;
  /** The dialog that asks before a reload; null: the service must not reload. */
  readonly reloadDialog: ((onDone: (answer: ReloadAnswer) => void, onClose: () => void) => ReactNode) | null;
  /** The first one is shown first. */
  readonly tabs: (outcome: ReloadOutcome) => readonly [Tab, ...Tab[]];
}

export function ConfigurationFrame({ about, banner, reloadDialog, tabs }: ConfigurationFrameProps) {
  const { clock } = useSession();
  const validate = useValidate();
  const [asking, setAsking] = useState(false);
  const [reloaded, setReloaded] = useState<{ readonly answer: ReloadAnswer; readonly at: string } | null>(null);
  const clear = (): void => {
    validate.reset();
    setReloaded(null);
  };
  const show = (answer: ReloadAnswer): void => {
    setAsking(false);
    setReloaded({ answer, at: new Date(clock.now()).toISOString() });
  };
  const all = tabs({ clear, show });
  const [tab, setTab] = useUrlState('tab', all[0].value);
  return (
    <PageFrame
      title="Configuration"
      about={about}
      actions={
        <>
          <Button
            variant="default"
            leftSection={<CheckIcon />}
            loading={validate.isPending}
            onClick={() => {
              clear();
              validate.mutate();
            }}
          >
            Validate configuration
          </Button>
          {reloadDialog !== null && (
            <Button
              leftSection={<RefreshIcon />}
              onClick={() => {
                clear();
                setAsking(true);
              }}
            >
              Reload HAProxy…
            </Button>
          )}
        </>
      }
    >
      {banner}
      {validate.error !== null && <ProblemAlert title="Could not validate the configuration" error={validate.error} />}
      {validate.data !== undefined && <Validated answer={validate.data} onClose={() => validate.reset()} />}
      {reloaded !== null && <Reloaded {...reloaded} onClose={() => setReloaded(null)} />}
      <Tabs value={tab} onChange={(to) => setTab(to ?? all[0].value, 'push')} keepMounted={false}>
        <Tabs.List mb="md">
          {all.map(({ value, label }) => (
            <Tabs.Tab key={value} value={value}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {all.map(({ value, content }) => (
          <Tabs.Panel key={value} value={value}>
            {content}
          </Tabs.Panel>
        ))}
      </Tabs>
      {asking && reloadDialog?.(show, () => setAsking(false))}
    </PageFrame>
  );
}
