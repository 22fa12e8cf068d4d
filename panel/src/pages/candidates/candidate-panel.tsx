import { Button, Group, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, lazy, Suspense, useEffect, useRef, useState } from 'react';
import { block, useBlockedChange } from '../../api/blocked-ips.ts';
import { useCheck } from '../../api/check.ts';
import { ignoreCandidate, useCandidateChange } from '../../api/insight.ts';
import { useTrust, useTrusted } from '../../api/trusted-ips.ts';
import type { Candidate, InsightLimits } from '../../api/types.ts';
import { count, noBreak, percent } from '../../parts/figures.ts';
import { changeTitle, ProblemAlert } from '../../parts/problem-alert.tsx';
import { StateMark } from '../../parts/state-mark.tsx';
import { toast, toastProblem } from '../../parts/toasts.tsx';
import { useAllowed, useSessionState } from '../../session/session.ts';
import { blockWords } from '../blocked/block/block-words.ts';
import { useUndoBlock } from '../blocked/removal.ts';
import { runtimeWords } from '../blocked/runtime-words.ts';
import classes from './candidates.module.css';
import { allPassed, checksFor } from './checks.ts';
import { MinuteBars } from './minute-bars.tsx';

const BlockDialog = lazy(async () => ({
  default: (await import('../blocked/block/block-dialog.tsx')).BlockDialog,
}));

const hour = 3_600;
const week = 7 * 24 * hour;
const durations = [
  { value: String(hour), label: '1 h', button: 'Block for 1 hour' },
  { value: String(24 * hour), label: '1 d', button: 'Block for 1 day' },
  { value: String(week), label: '7 d', button: 'Block for 7 days' },
  { value: '', label: 'Permanent', button: 'Block permanently' },
] as const;

export interface CandidatePanelProps {
  readonly candidate: Candidate;
  readonly limits: InsightLimits;
  /** Whether it was opened to block: the button has the focus once the checks are known, so that Enter blocks. */
  readonly toBlock: boolean;
  readonly onClose: () => void;
}

export function CandidatePanel({ candidate, limits, toBlock, onClose: onDone }: CandidatePanelProps) {
  const { ip_address: client, rate, requests, error_share: errors, network, clients_inside: inside, spark } = candidate;
  const may = useAllowed('block');
  const { info } = useSessionState();
  const [duration, setDuration] = useState<string>(String(24 * hour));
  // As it would be typed, so that a search finds it.
  const share = percent(errors).replaceAll(noBreak, ' ');
  const [reason, setReason] = useState(`${rate.toFixed(0)} requests/s, ${share} errors`);
  const [ip, setScope] = useState(client);
  const [dialog, setDialog] = useState(false);
  const trusted = useTrusted();
  const check = useCheck(ip);
  const change = useBlockedChange(block);
  const undo = useUndoBlock();
  const checks = checksFor(ip, {
    trusted: trusted.data?.items ?? null,
    verdict: check.data?.ip_address === ip ? check.data : null,
    clientAddress: info?.client_address ?? null,
  });
  const clear = allPassed(checks);
  const unknown = checks.some(({ passed }) => passed === null);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (toBlock && !unknown) button.current?.focus();
  }, [toBlock, unknown]);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!clear) {
      setDialog(true);
      return;
    }
    const given = reason.trim();
    const end = duration === '' ? { expires_at: null } : { duration_seconds: Number(duration) };
    const by = info === null ? {} : { blocked_by: info.name };
    change.mutate(
      { ip_address: ip, ...(given === '' ? {} : { reason: given }), ...by, ...end },
      {
        onSuccess: ({ answer, created }) => {
          const about = answer.ip_address;
          const action = created ? { action: { label: 'Undo', run: () => undo(about, null) } } : {};
          toast({ ...blockWords(answer), about, ...action });
          onDone();
        },
      },
    );
  };
  return (
    <>
      <Text size="sm" c="dimmed" mb="sm">
        Not blocked. About {count(requests)} requests in 10 minutes, {percent(errors)} of them errors.
      </Text>
      <MinuteBars values={spark} isAttention={errors >= limits.error_share} />
      <form onSubmit={submit}>
        <Stack gap="sm">
          {may && (
            <>
              <div>
                <Text size="sm" id="candidate-duration" mb={4}>
                  Duration
                </Text>
                <SegmentedControl
                  fullWidth
                  size="xs"
                  aria-labelledby="candidate-duration"
                  data={durations.map(({ value, label }) => ({ value, label }))}
                  value={duration}
                  onChange={setDuration}
                />
              </div>
              <TextInput
                label="Reason"
                size="xs"
                value={reason}
                maxLength={500}
                autoComplete="off"
                onChange={(event) => setReason(event.currentTarget.value)}
              />
              <div>
                <Text size="sm" id="candidate-scope" mb={4}>
                  Scope
                </Text>
                <SegmentedControl
                  fullWidth
                  size="xs"
                  aria-labelledby="candidate-scope"
                  data={[
                    { value: client, label: client.includes('/') ? 'This /64' : 'This address' },
                    { value: network, label: network },
                  ]}
                  value={ip}
                  onChange={setScope}
                />
                <Text size="xs" c="dimmed" mt={4}>
                  {inside <= 1
                    ? `No other loud client is in ${network}.`
                    : `${inside - 1} other loud ${inside === 2 ? 'client is' : 'clients are'} in ${network}.`}
                </Text>
              </div>
            </>
          )}
          <div>
            <h3 className={classes.title}>Before you block</h3>
            <dl className={classes.facts} aria-label="Checks">
              {checks.map(({ name, words, passed }) => (
                <div key={name} className={classes.check}>
                  <dt>{name}</dt>
                  <dd>{passed === false ? <StateMark tone="warn">{words}</StateMark> : <span>{words}</span>}</dd>
                </div>
              ))}
            </dl>
          </div>
          {check.isError && (
            <ProblemAlert
              title="Could not check the address"
              error={check.error}
              onRetry={() => void check.refetch()}
            />
          )}
          {trusted.isError && (
            <ProblemAlert
              title="Could not check whether the address is trusted"
              error={trusted.error}
              onRetry={() => void trusted.refetch()}
            />
          )}
          {change.isError && (
            <ProblemAlert title={changeTitle(change.error, 'Could not block the address')} error={change.error} />
          )}
          {may && (
            <Button ref={button} type="submit" fullWidth disabled={unknown} loading={change.isPending}>
              {clear || unknown ? durations.find(({ value }) => value === duration)?.button : 'Review and block…'}
            </Button>
          )}
          <Others client={client} onDone={onDone} />
        </Stack>
      </form>
      {dialog && (
        <Suspense>
          <BlockDialog entry={null} address={ip} onClose={() => setDialog(false)} />
        </Suspense>
      )}
    </>
  );
}

/** What else can be done about it. */
function Others({ client, onDone }: { readonly client: string; readonly onDone: () => void }) {
  const may = useAllowed('block');
  const admin = useAllowed('admin');
  const trust = useTrust();
  const ignore = useCandidateChange(ignoreCandidate);
  if (!may) return null;
  const trustForWeek = (): void =>
    trust.mutate(
      { ip: client, note: 'a candidate that is wanted', end: { duration_seconds: week } },
      {
        onSuccess: (answer) => {
          toast({ title: `${client} is trusted for 7 days`, ...runtimeWords(answer), about: client });
          onDone();
        },
        onError: (error) => toastProblem(`Could not trust ${client}`, error),
      },
    );
  const ignoreForWeek = (): void =>
    ignore.mutate(
      { ip: client, seconds: week },
      {
        onSuccess: () => {
          const again = { label: 'Undo', run: () => ignore.mutate({ ip: client, seconds: 0 }) };
          toast({ title: `${client} is ignored for 7 days`, words: 'It is no candidate until then.', action: again });
          onDone();
        },
        onError: (error) => toastProblem(`Could not ignore ${client}`, error),
      },
    );
  return (
    <Group grow gap="xs">
      {admin && (
        <Button variant="default" size="xs" loading={trust.isPending} onClick={trustForWeek}>
          Trust for 7 d
        </Button>
      )}
      <Button variant="default" size="xs" loading={ignore.isPending} onClick={ignoreForWeek}>
        Ignore for 7 d
      </Button>
    </Group>
  );
}
