import { ActionIcon, Anchor, Button, Group, List, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { counted } from '../../../../../src/domain/counted.ts';
import { useAuthority, useOrders, useRenewCertificate } from '../../../api/acme.ts';
import type { AcmeAttempt, AcmeCertificate, AcmeProblem, AcmeStatus } from '../../../api/types.ts';
import { End, useServiceNow } from '../../../parts/age.tsx';
import { PlusIcon, RefreshIcon } from '../../../parts/icons.tsx';
import { ListTable } from '../../../parts/list-table.tsx';
import { sentence } from '../../../parts/problem-alert.tsx';
import { Read } from '../../../parts/read.tsx';
import { RemoveButton, RowButtons } from '../../../parts/row-buttons.tsx';
import { StateMark } from '../../../parts/state-mark.tsx';
import styles from '../../../parts/styles.module.css';
import { momentText } from '../../../parts/times.ts';
import { toast, toastProblem } from '../../../parts/toasts.tsx';
import { useAllowed } from '../../../session/session.ts';
import { titleOf } from '../certificate-table.tsx';
import classes from '../certificates.module.css';
import { OrderDialog } from './order-dialog.tsx';
import { dueWords, isUnderWay, orderState, pauseWords, remedyWords, stepWords } from './order-words.ts';
import { StopRenewalDialog } from './stop-renewal-dialog.tsx';

/** The service works at four orders at a time; each followed one is a request per second. */
const followed = 4;

interface OrdersProps {
  /** False: HAProxy serves no TLS. */
  readonly enabled: boolean;
  /** Part of a name; empty: all. */
  readonly search: string;
}

/** The certificates that the service orders from an authority, and renews. */
export function Orders({ enabled, search }: OrdersProps) {
  const may = useAllowed('admin');
  const now = useServiceNow();
  const authority = useAuthority(enabled, (status) => underWay(status, now).length > 0);
  const [ordering, setOrdering] = useState(false);
  if (!enabled) return null;
  return (
    <Stack gap="sm" component="section" aria-labelledby="orders">
      <Group justify="space-between">
        <Title order={2} size="h4" id="orders">
          Ordered from an authority
        </Title>
        {may && authority.data?.off === null && (
          <Button variant="default" leftSection={<PlusIcon />} onClick={() => setOrdering(true)}>
            Order certificate
          </Button>
        )}
      </Group>
      <Read of={authority} failed="Could not load the orders" loading="Loading the orders">
        {(data) =>
          data.off === null ? (
            <AuthorityOrders status={data.status} search={search} now={now} />
          ) : (
            <Text size="sm" c="dimmed">
              {sentence(data.off)}
            </Text>
          )
        }
      </Read>
      {ordering && <OrderDialog onClose={() => setOrdering(false)} />}
    </Stack>
  );
}

/** While the authority is paused, nothing happens for minutes or hours. */
function underWay({ next, pauses }: AcmeStatus, now: number): readonly AcmeCertificate[] {
  return pauses.length > 0 ? [] : next.filter((one) => isUnderWay(one, now)).slice(0, followed);
}

interface AuthorityOrdersProps {
  readonly status: AcmeStatus;
  readonly search: string;
  readonly now: number;
}

function AuthorityOrders({ status, search, now }: AuthorityOrdersProps) {
  const may = useAllowed('admin');
  const [stopping, setStopping] = useState<AcmeCertificate | null>(null);
  const { directory, account, pauses, total, failing, next } = status;
  const part = search.toLowerCase();
  const shown = next.filter(({ names }) => names.some((name) => name.includes(part)));
  const firsts = new Set(underWay(status, now).map(({ id }) => id));
  return (
    <>
      <Text size="sm" c="dimmed" className={styles.wrap}>
        New orders go to {directory}.{' '}
        {account === null ? 'The first order creates an account.' : `Account: ${account}.`}{' '}
        {total > 0 && `${counted(total, 'certificate')}, ${failing} with a problem.`}
      </Text>
      {pauses.map((pause) => (
        <StateMark key={`${pause.directory} ${pause.scope}`} tone="warn">
          {pauseWords(pause)}
        </StateMark>
      ))}
      {shown.length > 0 && (
        <div className={styles.card}>
          <ListTable label="Orders" columns={['Names', 'State', 'Next order']} buttons={may ? 'Actions' : null}>
            {shown.map((certificate) => (
              <OrderRow
                key={certificate.id}
                of={certificate}
                follow={firsts.has(certificate.id)}
                directory={directory}
                now={now}
                onStop={() => setStopping(certificate)}
              />
            ))}
          </ListTable>
        </div>
      )}
      {total > next.length && (
        <Text size="sm" c="dimmed">
          The {next.length} that are due first are shown, of {total}.
        </Text>
      )}
      <StopRenewalDialog certificate={stopping} onClose={() => setStopping(null)} />
    </>
  );
}

interface OrderRowProps {
  readonly of: AcmeCertificate;
  /** Whether its steps are fetched as they happen. */
  readonly follow: boolean;
  /** Of new orders. */
  readonly directory: string;
  readonly now: number;
  readonly onStop: () => void;
}

function OrderRow({ of: listed, follow, directory, now, onStop }: OrderRowProps) {
  const may = useAllowed('admin');
  const [open, setOpen] = useState(false);
  const orders = useOrders(listed.id, { enabled: follow || open, underWay: follow });
  // Only the orders: all else is newer in the list once the order is no longer followed.
  const attempts = orders.data?.attempts ?? [];
  const { id, names, not_after: end, problem, profile } = listed;
  const { tone, words } = orderState({ ...listed, attempts: follow ? attempts : [] });
  const title = titleOf(listed);
  return (
    <tr data-row>
      <td data-label="Names" data-long data-roomy>
        <div>
          <b className={styles.wrap}>{names.join(', ')}</b>
          <Text size="xs" c="dimmed" className={styles.mono}>
            {id}
          </Text>
          {(profile !== null || listed.directory !== directory) && (
            <Text size="xs" c="dimmed" className={styles.wrap}>
              {[
                ...(profile === null ? [] : [`Profile ${profile}`]),
                ...(listed.directory === directory ? [] : [`Issued by ${listed.directory}`]),
              ].join('. ')}
            </Text>
          )}
        </div>
      </td>
      <td data-label="State" data-roomy="wide">
        <div role="status">
          <StateMark tone={tone}>{words}</StateMark>
          {problem !== null && <Problem of={problem} />}
          {end !== null && (
            <Text size="xs" c="dimmed">
              Issued, expires <End time={end} />
            </Text>
          )}
          <Anchor
            component="button"
            type="button"
            size="xs"
            aria-expanded={open}
            aria-label={open ? `Hide the last orders of ${title}` : `Show the last orders of ${title}`}
            onClick={() => setOpen(!open)}
          >
            {open ? 'Hide the last orders' : 'Show the last orders'}
          </Anchor>
          {open && <Attempts of={attempts} />}
        </div>
      </td>
      <td data-label="Next order" data-roomy>
        {dueWords(listed, now)}
      </td>
      {may && (
        <td data-actions>
          <RowButtons>
            <RenewButton of={listed} />
            <RemoveButton label={`Stop renewal of ${title}`} title="Stop renewal" onClick={onStop} />
          </RowButtons>
        </td>
      )}
    </tr>
  );
}

/** In the words of the authority. */
function Problem({ of: problem }: { readonly of: AcmeProblem }) {
  const { detail, subproblems } = problem;
  const remedy = remedyWords(problem);
  return (
    <List size="xs" listStyleType="none" mt={4} className={classes.hanging ?? ''}>
      <List.Item className={styles.wrap}>{detail}</List.Item>
      {subproblems.map(({ name, detail: words }) => (
        <List.Item key={`${name} ${words}`} className={styles.wrap}>
          {name === null ? words : `${name}: ${words}`}
        </List.Item>
      ))}
      {remedy !== null && (
        <List.Item className={styles.wrap}>
          <b>{remedy}</b>
        </List.Item>
      )}
    </List>
  );
}

function Attempts({ of: attempts }: { readonly of: readonly AcmeAttempt[] }) {
  if (attempts.length === 0) return <Text size="xs">No orders yet.</Text>;
  return (
    <List size="xs" listStyleType="none" mt={4} className={classes.hanging ?? ''}>
      {attempts.map((attempt) => (
        <List.Item key={attempt.began_at} className={styles.wrap}>
          {momentText(attempt.began_at)}: {stepWords(attempt)}
          {attempt.problem !== null && `: ${attempt.problem.detail}`}
        </List.Item>
      ))}
    </List>
  );
}

function RenewButton({ of: certificate }: { readonly of: AcmeCertificate }) {
  const renew = useRenewCertificate();
  const title = titleOf(certificate);
  const run = (): void =>
    renew.mutate(certificate.id, {
      onSuccess: () =>
        toast({ title: `Order of ${title} is due`, about: certificate.id, tone: 'good', words: 'It begins now.' }),
      onError: (error) => toastProblem(`Could not renew ${title}`, error),
    });
  return (
    <ActionIcon
      variant="subtle"
      size="lg"
      aria-label={`Renew ${title}`}
      title={certificate.not_after === null ? 'Order now' : 'Renew now'}
      loading={renew.isPending}
      onClick={run}
    >
      <RefreshIcon />
    </ActionIcon>
  );
}
