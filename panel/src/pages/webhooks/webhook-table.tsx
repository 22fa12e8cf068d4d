import { Button, Text } from '@mantine/core';
import { count, counted } from '../../../../src/domain/counted.ts';
import type { Webhook } from '../../api/types.ts';
import { Age, End, SpanSince, useServiceNow } from '../../parts/age.tsx';
import { ListTable } from '../../parts/list-table.tsx';
import { sentence } from '../../parts/problem-alert.tsx';
import { EditButton, RemoveButton, RowButtons } from '../../parts/row-buttons.tsx';
import { StateMark } from '../../parts/state-mark.tsx';
import styles from '../../parts/styles.module.css';
import { eventsWords, lastFailure, shownUrl, webhookState } from './webhook-state.ts';

interface WebhookTableProps {
  readonly hooks: readonly Webhook[];
  readonly stale: boolean;
  readonly retrying: string | null;
  readonly onEdit: (hook: Webhook) => void;
  readonly onRemove: (hook: Webhook) => void;
  readonly onRetry: (hook: Webhook) => void;
}

export function WebhookTable({ hooks, stale, retrying, onEdit, onRemove, onRetry }: WebhookTableProps) {
  return (
    <ListTable label="Webhooks" columns={['Name', 'URL', 'Events', 'Deliveries', 'Queued']} buttons="Actions">
      {hooks.map((hook) => (
        <tr key={hook.id} data-row>
          <td data-label="Name" data-roomy>
            <b>{hook.id}</b>
          </td>
          <td data-label="URL" className={styles.mono} data-roomy="wide">
            {shownUrl(hook.url)}
          </td>
          <td data-label="Events" title={hook.events?.join(', ')}>
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
                  aria-label={`Retry delivery: ${hook.id}`}
                  loading={retrying === hook.id}
                  onClick={() => onRetry(hook)}
                >
                  Retry delivery
                </Button>
              )}
            </div>
          </td>
          <td data-label="Queued" data-figure>
            {hook.enabled ? count(hook.pending) : ''}
          </td>
          <td data-actions>
            <RowButtons>
              <EditButton label={`Edit ${hook.id}`} onClick={() => onEdit(hook)} />
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
              Next attempt <NextTime at={hook.next_attempt_at} />.
            </>
          )}
        </Text>
      )}
      {hook.missed > 0 && (
        <Text size="xs" mt={2} className={styles.tone} data-tone="warn">
          {counted(hook.missed, 'event')} lost: the retries ended or the queue was full. The next delivery reports it.
        </Text>
      )}
    </>
  );
}

function State({ of: hook, stale }: { readonly of: Webhook; readonly stale: boolean }) {
  switch (webhookState(hook)) {
    case 'disabled':
      return <StateMark tone="unknown">Disabled; events are not queued</StateMark>;
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
    case 'delivering':
      return (
        <StateMark tone={stale ? 'unknown' : 'good'}>
          Delivered <Age time={hook.last_success_at ?? ''} />
        </StateMark>
      );
  }
}

/** A time that has passed is shown as now: the next poll brings the result. */
function NextTime({ at }: { readonly at: string }) {
  const now = useServiceNow();
  return Date.parse(at) <= now ? 'now' : <End time={at} />;
}
