// Import: choose, look, then do. Nothing is sent before somebody has seen what it would do.
import { Alert, Button, Checkbox, Group, Modal, Progress, Stack, Text, TextInput } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useRefreshBlocked } from '../../../api/blocked-ips.ts';
import { counted } from '../../../parts/counted.ts';
import { Loading } from '../../../parts/loading.tsx';
import { ProblemAlert, sentence } from '../../../parts/problem-alert.tsx';
import styles from '../../../parts/styles.module.css';
import { useBackCloses } from '../../../parts/use-back-closes.ts';
import { useFocusReturn } from '../../../parts/use-focus-return.ts';
import { useApi, useSessionState } from '../../../session/session.ts';
import { type Duration, DurationField, forGood, readDuration } from '../block/duration-field.tsx';
import { BadLines } from './bad-lines.tsx';
import { useConcerns } from './concerns-among.ts';
import { ForecastWords, useForecast } from './forecast.tsx';
import { ListSource } from './list-source.tsx';
import { type BadLine, mended, type Preview, readPreview } from './preview.ts';
import { type Common, nothingYet, type Tally, transfer } from './transfer.ts';

type Stage =
  | { readonly kind: 'source' }
  | { readonly kind: 'reading'; readonly name: string; readonly lines: number }
  | { readonly kind: 'unreadable'; readonly name: string; readonly why: string }
  | { readonly kind: 'preview'; readonly name: string; readonly preview: Preview }
  | { readonly kind: 'sending' | 'stopped' | 'done'; readonly name: string; readonly preview: Preview };

export function ImportDialog({ onClose }: { readonly onClose: () => void }) {
  useFocusReturn();
  const [stage, setStage] = useState<Stage>({ kind: 'source' });
  useBackCloses(() => {
    if (stage.kind !== 'sending') onClose();
  });
  const [pasted, setPasted] = useState('');
  const [understood, setUnderstood] = useState(false);
  const [allowWide, setAllowWide] = useState(false);
  const [reason, setReason] = useState('');
  const [duration, setDuration] = useState<Duration>(forGood);
  const [tally, setTally] = useState<Tally>(nothingYet);
  const [failure, setFailure] = useState<unknown>(null);
  const stop = useRef(new AbortController());
  const api = useApi();
  const { info } = useSessionState();
  const refresh = useRefreshBlocked();
  useEffect(() => () => stop.current.abort(), []);

  const look = async (list: Blob, name: string): Promise<void> => {
    setStage({ kind: 'reading', name, lines: 0 });
    setUnderstood(false);
    setAllowWide(false);
    setTally(nothingYet);
    try {
      const { signal } = stop.current;
      const preview = await readPreview(list, (lines) => setStage({ kind: 'reading', name, lines }), signal);
      setStage({ kind: 'preview', name, preview });
    } catch (error) {
      setStage({ kind: 'unreadable', name, why: `${name} ${error instanceof Error ? error.message : String(error)}` });
    }
  };
  const seconds = readDuration(duration);
  const common: Common | null =
    typeof seconds === 'object' && seconds !== null
      ? null
      : { reason: reason.trim(), seconds, blockedBy: info?.name ?? null, allowWide };
  const shown = stage.kind === 'preview' ? stage.preview.entries : none;
  const forecast = useForecast(shown, common);
  const { concerns, unchecked } = useConcerns(shown);
  const send = async (name: string, preview: Preview): Promise<void> => {
    if (common === null) return;
    stop.current = new AbortController();
    setStage({ kind: 'sending', name, preview });
    setFailure(null);
    try {
      await transfer(api, preview.entries, common, tally, setTally, stop.current.signal);
      setStage({ kind: stop.current.signal.aborted ? 'stopped' : 'done', name, preview });
    } catch (error) {
      setFailure(error);
      setStage({ kind: 'stopped', name, preview });
    } finally {
      refresh();
    }
  };

  const sending = stage.kind === 'sending';
  return (
    <Modal
      opened
      onClose={onClose}
      title="Import addresses"
      size="xl"
      closeOnClickOutside={stage.kind === 'source'}
      closeOnEscape={!sending}
      withCloseButton={!sending}
    >
      <Stack gap="md">
        {stage.kind === 'source' && (
          <ListSource text={pasted} onText={setPasted} onList={(list, name) => void look(list, name)} />
        )}
        {stage.kind === 'reading' && <Loading what={`Reading ${stage.name}, line ${stage.lines.toLocaleString()}`} />}
        {stage.kind === 'unreadable' && (
          <Alert color="red" variant="light" title="This cannot be read as a list" role="alert">
            <Text size="sm">{sentence(stage.why, stage.name)}</Text>
            <Button mt="sm" size="compact-sm" variant="default" onClick={() => setStage({ kind: 'source' })}>
              Choose another
            </Button>
          </Alert>
        )}
        {stage.kind === 'preview' && (
          <>
            <PreviewWords
              preview={stage.preview}
              concerns={concerns}
              unchecked={unchecked}
              understood={understood}
              onUnderstood={setUnderstood}
              onMend={() => {
                // Other networks than those that were looked at.
                setUnderstood(false);
                setStage({ ...stage, preview: mended(stage.preview) });
              }}
            />
            {stage.preview.entries.length > 0 && (
              <>
                <TextInput
                  label="Reason"
                  description="For lines that give none."
                  value={reason}
                  maxLength={500}
                  autoComplete="off"
                  onChange={(event) => setReason(event.currentTarget.value)}
                />
                <DurationField
                  value={duration}
                  onChange={setDuration}
                  label="For how long, where a line does not say"
                />
                <ForecastWords forecast={forecast} allowWide={allowWide} onAllowWide={setAllowWide} />
              </>
            )}
            <Group justify="flex-end">
              <Button variant="default" onClick={() => setStage({ kind: 'source' })}>
                Back
              </Button>
              <Button
                disabled={stage.preview.entries.length === 0 || common === null || (concerns.length > 0 && !understood)}
                onClick={() => void send(stage.name, stage.preview)}
              >
                Block {counted(stage.preview.entries.length, 'address', 'addresses')}
              </Button>
            </Group>
          </>
        )}
        {(stage.kind === 'sending' || stage.kind === 'stopped' || stage.kind === 'done') && (
          <>
            <SendingWords tally={tally} total={stage.preview.entries.length} kind={stage.kind} />
            {failure !== null && <ProblemAlert title="The import stopped here" error={failure} />}
            {tally.rejected.length > 0 && (
              <>
                <Text size="sm" fw={600}>
                  Not taken by the service
                </Text>
                <BadLines lines={tally.rejected} label="Lines that the service did not take" />
              </>
            )}
            <Group justify="flex-end">
              {stage.kind === 'sending' && (
                <Button variant="default" onClick={() => stop.current.abort()}>
                  Stop
                </Button>
              )}
              {stage.kind === 'stopped' && (
                <Button variant="default" onClick={() => void send(stage.name, stage.preview)}>
                  Go on
                </Button>
              )}
              {stage.kind !== 'sending' && <Button onClick={onClose}>Close</Button>}
            </Group>
          </>
        )}
      </Stack>
    </Modal>
  );
}

const none: Preview['entries'] = [];

interface PreviewWordsProps {
  readonly preview: Preview;
  readonly concerns: readonly BadLine[];
  /** What was not looked at; null: nothing. */
  readonly unchecked: string | null;
  readonly understood: boolean;
  readonly onUnderstood: (understood: boolean) => void;
  readonly onMend: () => void;
}

function PreviewWords({ preview, concerns, unchecked, understood, onUnderstood, onMend }: PreviewWordsProps) {
  const { entries, doubles, bad, mendable } = preview;
  return (
    <>
      <Text role="status">
        <b>{entries.length.toLocaleString()}</b> {entries.length === 1 ? 'address' : 'addresses'} can be blocked
        {doubles > 0 && `, ${doubles.toLocaleString()} named more than once`}
        {bad.length === 0 ? '. No line is wrong.' : '.'}
      </Text>
      {bad.length > 0 && (
        <Alert
          color="orange"
          variant="light"
          title={`${bad.length.toLocaleString()} ${bad.length === 1 ? 'line is' : 'lines are'} wrong and will be left out`}
        >
          <BadLines lines={bad} label="Lines that are wrong" />
          {mendable.length > 0 && (
            <Button mt="xs" size="compact-sm" variant="default" onClick={onMend}>
              {mendable.length === 1
                ? `Use ${mendable[0]?.entry.ip} for line ${mendable[0]?.line}`
                : `Use the whole network for ${counted(mendable.length, 'line')} with host bits`}
            </Button>
          )}
        </Alert>
      )}
      {unchecked !== null && (
        <Text size="sm" role="status">
          {unchecked}
        </Text>
      )}
      {concerns.length > 0 && (
        <Alert color="orange" variant="light" title="Look twice">
          <BadLines lines={concerns} label="Lines to look at twice" heading="What it would do" />
          <Checkbox
            mt="xs"
            label="I mean it"
            checked={understood}
            onChange={(event) => onUnderstood(event.currentTarget.checked)}
          />
        </Alert>
      )}
    </>
  );
}

function SendingWords({
  tally,
  total,
  kind,
}: {
  readonly tally: Tally;
  readonly total: number;
  readonly kind: string;
}) {
  const share = total === 0 ? 100 : (tally.done / total) * 100;
  return (
    <>
      <Progress
        value={share}
        size="lg"
        animated={kind === 'sending'}
        aria-label={`${Math.round(share)} percent are done`}
      />
      <Text role="status" className={styles.figure}>
        {kind === 'done' ? 'Done. ' : kind === 'stopped' ? 'Stopped. ' : ''}
        {tally.done.toLocaleString()} of {total.toLocaleString()}: {tally.added.toLocaleString()} blocked now,{' '}
        {tally.updated > 0 && `${tally.updated.toLocaleString()} changed, `}
        {tally.unchanged.toLocaleString()} blocked already
        {tally.rejectedTotal > 0 && `, ${tally.rejectedTotal.toLocaleString()} not taken`}.
      </Text>
      {kind !== 'sending' && tally.added + tally.updated + tally.unchanged > 0 && (
        <Text size="sm" c="dimmed">
          {tally.enforced
            ? 'Every worker of the proxy was seen to have all of it.'
            : 'Not every worker of the proxy was seen to have all of it yet; the overview says when it has.'}
        </Text>
      )}
    </>
  );
}
