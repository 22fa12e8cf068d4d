import { Badge, Button, Group } from '@mantine/core';
import type { Key } from '../../api/types.ts';
import { Age, End } from '../../parts/age.tsx';
import { ListTable } from '../../parts/list-table.tsx';
import { StateMark } from '../../parts/state-mark.tsx';
import styles from '../../parts/styles.module.css';
import { opens, removes } from '../../parts/use-row-keys.ts';
import { useSessionState } from '../../session/session.ts';
import { keyState, mayBlock } from './key-state.ts';
import { accessLabel } from './scope-words.ts';
import { isUnbound } from './unbound-keys.tsx';

interface KeyTableProps {
  readonly keys: readonly Key[];
  readonly now: number;
  readonly onBind: (key: Key) => void;
  readonly onRevoke: (key: Key) => void;
}

export function KeyTable({ keys, now, onBind, onRevoke }: KeyTableProps) {
  const { info } = useSessionState();
  return (
    <ListTable label="Keys" columns={['Name', 'Access', 'Source', 'State', 'Last used', 'Created']} buttons="Actions">
      {keys.map((key) => (
        <tr key={key.name} data-row>
          <td data-label="Name">
            <Group gap="xs" component="span" display="inline-flex">
              <b>{key.name}</b>
              {key.name === info?.name && (
                <Badge size="sm" variant="default" tt="none">
                  your key
                </Badge>
              )}
            </Group>
          </td>
          <td data-label="Access">{accessLabel(key.scopes)}</td>
          <td data-label="Source" data-long>
            {key.source ?? (isUnbound(key, now) ? <span className={styles.none}>none</span> : null)}
          </td>
          <td data-label="State">
            <State of={key} now={now} />
          </td>
          <td data-label="Last used">{key.last_used_at === null ? 'Never' : <Age time={key.last_used_at} />}</td>
          <td data-label="Created">
            <Age time={key.created_at} />
          </td>
          <td data-actions>
            {keyState(key, now) === 'active' && (
              <Group gap={4} justify="flex-end" display="inline-flex">
                {mayBlock(key) && (
                  <Button
                    size="compact-sm"
                    variant="default"
                    aria-label={`Bind key ${key.name}`}
                    {...opens}
                    onClick={() => onBind(key)}
                  >
                    Bind
                  </Button>
                )}
                <Button
                  size="compact-sm"
                  variant="default"
                  aria-label={`Revoke key ${key.name}`}
                  {...removes}
                  onClick={() => onRevoke(key)}
                >
                  Revoke key
                </Button>
              </Group>
            )}
          </td>
        </tr>
      ))}
    </ListTable>
  );
}

function State({ of: key, now }: { readonly of: Key; readonly now: number }) {
  const { revoked_at: revokedAt, expires_at: expiresAt } = key;
  switch (keyState(key, now)) {
    case 'revoked':
      return (
        <StateMark tone="unknown">
          Revoked <Age time={revokedAt ?? ''} />
        </StateMark>
      );
    case 'expired':
      return (
        <StateMark tone="unknown">
          Expired <Age time={expiresAt ?? ''} />
        </StateMark>
      );
    case 'active':
      return (
        <StateMark tone="good">
          {expiresAt === null ? (
            'Active'
          ) : (
            <>
              Active, expires <End time={expiresAt} />
            </>
          )}
        </StateMark>
      );
  }
}
