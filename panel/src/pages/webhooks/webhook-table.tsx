import { Button, Text } from '@mantine/core';
import type { Webhook } from '../../api/types.ts';
import { Age, End, SpanSince, useServiceNow } from '../../parts/age.tsx';
import { ListTable } from '../../parts/list-table.tsx';
import { sentence } from '../../parts/problem-alert.tsx';
import { EditButton, RemoveButton, RowButtons } from '../../parts/row-buttons.tsx';
import { StateMark } from '../../parts/state-mark.tsx';
import styles from '../../parts/styles.module.css';
import { eventsWords, lastFailure, shownUrl, webhookState } from './webhook-state.ts';

export interface WebhookTableProps {
  readonly hooks: readonly Webhook[];
  /** What is known of their deliveries is old. */
  readonly stale: boolean;
  /** Id of the one that is being tried; null: none is. */
  readonly trying: string | null;
  readonly onEdit: (hook: Webhook) => void;
  readonly onRemove: (hook: Webhook) => void;
  readonly onTry: (hook: Webhook) => void;
}

export function WebhookTable({ hooks, stale, trying, onEdit, onRemove, onTry }: WebhookTableProps) {
  return (
    <ListTable label="Webhooks" columns={['Name', 'Sends to', 'Gets', 'Deliveries', 'Waiting']} buttons="Change">
      {hooks.map((hook) => (
        <tr key={hook.id} data-row>
          <td data-label="Name" data-roomy>
            <b>{hook.id}</b>
          </td>
          <td data-label="Sends to" className={styles.mono} data-roomy="wide">
            {shownUrl(hook.url)}
          </td>
          <td data-label="Gets" title={hook.events?.join(', ')}>
            {eventsWords(hook.events)}
          </td>
          <td data-label="Deliveries">
            <div>
              <Deliveries of={hook} stale={stale} />
              {webhookState(hook) === 'failing' && (
                <Button
                  size="compact-xs"
                  variant="default"
                  mt={4}
                  aria-label={`Try now: ${hook.id}`}
                  loading={trying === hook.id}
                  onClick={() => onTry(hook)}
                >
                  Try now
                </Button>
              )}
            </div>
          </td>
          <td data-label="Waiting" className={styles.figure}>
            {hook.enabled ? hook.pending.toLocaleString() : ''}
          </td>
          <td data-actions>
            <RowButtons>
              <EditButton label={`Change ${hook.id}`} onClick={() => onEdit(hook)} />
              <RemoveButton label={`Remove ${hook.id}`} onClick={() => onRemove(hook)} />
            </RowButtons>
          </td>
        </tr>
      ))}
    </ListTable>
  );
}

function Deliveries({ of: hook, stale }: { readonly of: Webhook; readonly stale: boolean }) {
  const why = lastFailure(hook);
  return (
    <>
      <State of={hook} stale={stale} />
      {hook.enabled && why !== null && (
        <Text size="xs" mt={2} className={styles.wrap}>
          {sentence(why)}
          {hook.next_attempt_at !== null && (
            <>
              {' '}
              Tried again <NextTime at={hook.next_attempt_at} />.
            </>
          )}
        </Text>
      )}
      {hook.missed > 0 && (
        <Text size="xs" mt={2} className={styles.tone} data-tone="warn">
          {hook.missed.toLocaleString()} missed: {hook.missed === 1 ? 'it was' : 'they were'} given up, or too many
          waited. The next delivery says so.
        </Text>
      )}
    </>
  );
}

function State({ of: hook, stale }: { readonly of: Webhook; readonly stale: boolean }) {
  switch (webhookState(hook)) {
    case 'off':
      return <StateMark tone="unknown">Switched off: nothing is kept for it</StateMark>;
    case 'failing':
      return (
        <StateMark tone="bad">
          {hook.failing_since === null ? (
            'Failing'
          ) : (
            <>
              Failing for <SpanSince time={hook.failing_since} />
            </>
          )}
        </StateMark>
      );
    case 'untried':
      return (
        <StateMark tone="unknown">
          {hook.last_success_at === null ? 'Nothing delivered yet' : 'Nothing delivered since it was changed'}
        </StateMark>
      );
    case 'delivers':
      return (
        <StateMark tone={stale ? 'unknown' : 'good'}>
          Delivered <Age time={hook.last_success_at ?? ''} />
        </StateMark>
      );
  }
}

/** A time that came meanwhile is now: the next look says what came of it. */
function NextTime({ at }: { readonly at: string }) {
  const now = useServiceNow();
  return Date.parse(at) <= now ? 'now' : <End time={at} />;
}
