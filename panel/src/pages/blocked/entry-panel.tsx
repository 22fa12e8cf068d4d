// One entry, and what each worker of the proxy holds of it, asked now.
import { Button, Drawer, Group, Stack, Table, Text } from '@mantine/core';
import { ApiProblem } from '../../../../src/client/client.ts';
import { useBlockedDetail } from '../../api/blocked-ips.ts';
import type { BlockedIp } from '../../api/types.ts';
import { Age, End, momentText } from '../../parts/age.tsx';
import { Loading } from '../../parts/loading.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { Said } from '../../parts/said.tsx';
import { StateMark } from '../../parts/state-mark.tsx';
import styles from '../../parts/styles.module.css';
import { useFocusReturn } from '../../parts/use-focus-return.ts';
import { useMay } from '../../session/session.ts';
import classes from './entry-panel.module.css';

export interface EntryPanelProps {
  /** As it stands in the page's address. */
  readonly ip: string;
  readonly onClose: () => void;
  readonly onChange: (entry: BlockedIp) => void;
  readonly onRemove: (entry: BlockedIp) => void;
}

export function EntryPanel({ ip, onClose, onChange, onRemove }: EntryPanelProps) {
  useFocusReturn();
  const detail = useBlockedDetail(ip);
  const may = useMay('block');
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
              <Fact name="Reason">{entry.reason === null ? 'none given' : <Said text={entry.reason} />}</Fact>
              <Fact name="Blocked by">
                {entry.blocked_by === null ? 'not known' : <Said text={entry.blocked_by} />}
              </Fact>
              <Fact name="Since">
                {momentText(entry.blocked_at)} (<Age time={entry.blocked_at} />)
              </Fact>
              <Fact name="Until">
                {entry.expires_at === null ? (
                  'for good'
                ) : (
                  <>
                    {momentText(entry.expires_at)} (<End time={entry.expires_at} />)
                  </>
                )}
              </Fact>
            </Table.Tbody>
          </Table>
        )}
        <section aria-label="What the running proxy holds" className={styles.card}>
          <Text fw={600} size="sm" mb="xs">
            In the running proxy
          </Text>
          {gone && <StateMark tone="unknown">It is not blocked, or not any more.</StateMark>}
          {detail.isPending && <Loading what="Asking each worker" />}
          {detail.isError && !gone && (
            <ProblemAlert
              title="The workers could not be asked"
              error={detail.error}
              onRetry={() => void detail.refetch()}
            />
          )}
          {!detail.isError && detail.data?.workers.length === 0 && (
            <StateMark tone="unknown">No worker of the proxy could be asked.</StateMark>
          )}
          {!detail.isError && (
            <Stack gap={6}>
              {detail.data?.workers.map(({ pid, draining, holds }) => (
                <StateMark key={pid} tone={holds === null ? 'unknown' : holds ? 'good' : 'bad'}>
                  Worker {pid}
                  {draining ? ', which finishes its last connections,' : ''}{' '}
                  {holds === null ? 'could not be asked' : holds ? 'holds it' : 'does not hold it'}
                </StateMark>
              ))}
            </Stack>
          )}
        </section>
        {may && !gone && entry !== undefined && (
          <Group>
            <Button variant="default" onClick={() => onChange(entry)}>
              Change
            </Button>
            <Button color="red" variant="light" onClick={() => onRemove(entry)}>
              Remove
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
