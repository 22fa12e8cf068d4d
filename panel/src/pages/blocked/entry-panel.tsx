import { Button, Drawer, Group, Stack, Table, Text } from '@mantine/core';
import { ApiProblem } from '../../../../src/client/client.ts';
import { useBlockedDetail } from '../../api/blocked-ips.ts';
import type { BlockedIp } from '../../api/types.ts';
import { Age, End, momentText } from '../../parts/age.tsx';
import { ClaimList } from '../../parts/claim-list.tsx';
import { counted } from '../../parts/counted.ts';
import { Loading } from '../../parts/loading.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { StateMark } from '../../parts/state-mark.tsx';
import styles from '../../parts/styles.module.css';
import { useFocusReturn } from '../../parts/use-focus-return.ts';
import { UserText } from '../../parts/user-text.tsx';
import { useAllowed } from '../../session/session.ts';
import classes from './entry-panel.module.css';

interface EntryPanelProps {
  readonly ip: string;
  readonly onClose: () => void;
  readonly onEdit: (entry: BlockedIp) => void;
  readonly onRemove: (entry: BlockedIp) => void;
}

export function EntryPanel({ ip, onClose, onEdit, onRemove }: EntryPanelProps) {
  useFocusReturn();
  const detail = useBlockedDetail(ip);
  const may = useAllowed('block');
  const entry = detail.data;
  const gone = detail.error instanceof ApiProblem && detail.error.status === 404;

  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      title={entry?.ip_address ?? ip}
      size="md"
      classNames={{ title: classes.title ?? '' }}
    >
      <Stack gap="md">
        {entry !== undefined && (
          <Table withRowBorders={false} verticalSpacing={4}>
            <Table.Tbody>
              <Fact name="Reason">{entry.reason === null ? '—' : <UserText text={entry.reason} />}</Fact>
              <Fact name="Blocked by">{entry.blocked_by === null ? '—' : <UserText text={entry.blocked_by} />}</Fact>
              <Fact name="Since">
                {momentText(entry.blocked_at)} (<Age time={entry.blocked_at} />)
              </Fact>
              <Fact name="Expires">
                {entry.expires_at === null ? (
                  'Never'
                ) : (
                  <>
                    {momentText(entry.expires_at)} (<End time={entry.expires_at} />)
                  </>
                )}
              </Fact>
            </Table.Tbody>
          </Table>
        )}
        {entry?.claims !== undefined && (
          <section aria-label="Claims" className={styles.card}>
            <Text fw={600} size="sm" mb="xs">
              {counted(entry.claims.length, 'source claims', 'sources claim')} it
            </Text>
            <ClaimList label="Claims" claims={entry.claims} />
          </section>
        )}
        <section aria-label="Entry in HAProxy" className={styles.card}>
          <Text fw={600} size="sm" mb="xs">
            HAProxy
          </Text>
          {gone && <StateMark tone="unknown">No longer blocked</StateMark>}
          {detail.isPending && <Loading what="Checking each worker" />}
          {detail.isError && !gone && (
            <ProblemAlert
              title="Could not check the workers"
              error={detail.error}
              onRetry={() => void detail.refetch()}
            />
          )}
          {!detail.isError && detail.data?.workers.length === 0 && (
            <StateMark tone="unknown">No HAProxy worker could be checked</StateMark>
          )}
          {!detail.isError && (
            <Stack gap={6}>
              {detail.data?.workers.map(({ pid, draining, holds }) => (
                <StateMark key={pid} tone={holds === null ? 'unknown' : holds ? 'good' : 'bad'}>
                  {holds === null ? 'Not checked' : holds ? 'Blocked' : 'Not blocked'} on worker {pid}
                  {draining ? ' (draining)' : ''}
                </StateMark>
              ))}
            </Stack>
          )}
        </section>
        {may && !gone && entry !== undefined && (
          <Group>
            <Button variant="default" onClick={() => onEdit(entry)}>
              Edit entry
            </Button>
            <Button color="red" variant="light" onClick={() => onRemove(entry)}>
              Remove entry
            </Button>
          </Group>
        )}
      </Stack>
    </Drawer>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: React.ReactNode }) {
  return (
    <Table.Tr>
      <Table.Th scope="row" w={100} c="dimmed" fw={500}>
        {name}
      </Table.Th>
      <Table.Td className={styles.wrap}>{children}</Table.Td>
    </Table.Tr>
  );
}
