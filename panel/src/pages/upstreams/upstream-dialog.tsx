import { Alert, Button, Checkbox, NativeSelect, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { type PresetName, presetNames, upstreamPresets } from '../../../../src/domain/upstream-presets.ts';
import { useHealth } from '../../api/health.ts';
import type { Upstream, UpstreamAnswer } from '../../api/types.ts';
import { useSetUpstream } from '../../api/upstreams.ts';
import { Dialog, DialogButtons } from '../../parts/dialog.tsx';
import { NameField } from '../../parts/name-field.tsx';
import { nameFault } from '../../parts/plain-name.ts';
import { presetLabels } from '../../parts/preset-labels.ts';
import { changeTitle, ProblemAlert } from '../../parts/problem-alert.tsx';
import { ReloadFailure } from '../../parts/reload-failure.tsx';
import { ReplaceConsent } from '../../parts/replace-consent.tsx';
import { StateMark } from '../../parts/state-mark.tsx';
import styles from '../../parts/styles.module.css';
import { toast } from '../../parts/toasts.tsx';
import {
  draftOf,
  faultsOf,
  hasOwnList,
  namingsOf,
  rejectedFields,
  requestOf,
  type UpstreamDraft,
  withPreset,
} from './upstream-draft.ts';
import { EntryLinks } from './upstream-table.tsx';
import { headerName, resultLines } from './upstream-words.ts';

interface UpstreamDialogProps {
  /** The upstream to edit; null: a new one. */
  readonly upstream: Upstream | null;
  readonly upstreams: readonly Upstream[];
  readonly onClose: () => void;
}

export function UpstreamDialog(props: UpstreamDialogProps) {
  const { upstream, onClose } = props;
  const [saved, setSaved] = useState<UpstreamAnswer | null>(null);
  const [busy, setBusy] = useState(false);
  const title = upstream === null ? 'Add upstream' : `Edit upstream ${upstream.name}`;
  const close = (): void => {
    // A running change continues, and its result should be seen.
    if (!busy) onClose();
  };
  return (
    <Dialog title={saved === null ? title : `${saved.name} is an upstream`} size="lg" onClose={close}>
      {saved === null ? (
        <UpstreamForm {...props} onBusy={setBusy} onSaved={setSaved} onClose={close} />
      ) : (
        <Result answer={saved} onClose={onClose} />
      )}
    </Dialog>
  );
}

interface UpstreamFormProps extends UpstreamDialogProps {
  readonly onBusy: (busy: boolean) => void;
  readonly onSaved: (answer: UpstreamAnswer) => void;
}

const ownProxy = 'A proxy of yours, or another one';

function UpstreamForm({ upstream, upstreams, onBusy, onSaved, onClose }: UpstreamFormProps) {
  const set = useSetUpstream();
  const [draft, setDraft] = useState(() => draftOf(upstream));
  const [sent, setSent] = useState(false);
  const attached = useHealth().data?.attached != null;
  const change = (part: Partial<UpstreamDraft>): void => {
    set.reset();
    setDraft({ ...draft, ...part });
  };
  const used = upstreams.map(({ name }) => name);
  const nameError =
    upstream === null ? nameFault(draft.name, used, 'This upstream already exists. Edit it instead.') : null;
  const rejected = rejectedFields(set.error);
  const faults = { ...faultsOf(draft, upstream), ...rejected };
  const isEmpty = draft.networks.trim() === '';
  const namings = namingsOf(draft.preset);
  const fixed = draft.preset === null ? null : upstreamPresets[draft.preset].header;
  const changedMeanwhile =
    upstream !== null && upstreams.find(({ name }) => name === upstream.name)?.updated_at !== upstream.updated_at;

  const save = (replace: boolean): void => {
    setSent(true);
    if (nameError !== null || Object.keys(faultsOf(draft, upstream)).length > 0) return;
    onBusy(true);
    set.mutate(
      { name: draft.name, body: requestOf(draft, upstream), replace },
      {
        onSuccess: (answer) => {
          const lines = resultLines(answer);
          if (lines.some(({ tone }) => tone === 'warn')) return onSaved(answer);
          toast({
            title: upstream === null ? `${answer.name} is an upstream` : `${answer.name} changed`,
            words: lines.map(({ words }) => words).join(' '),
            about: answer.name,
          });
          return onClose();
        },
        onSettled: () => onBusy(false),
      },
    );
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save(false);
  };

  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        {upstream === null && (
          <>
            <NativeSelect
              label="Kind"
              data={[
                { value: '', label: ownProxy },
                ...presetNames.map((value) => ({ value, label: presetLabels[value] })),
              ]}
              value={draft.preset ?? ''}
              onChange={(event) => {
                set.reset();
                const chosen = event.currentTarget.value;
                setDraft(withPreset(draft, chosen === '' ? null : (chosen as PresetName)));
              }}
            />
            <NameField
              description="For example: lb, cdn."
              placeholder="lb"
              value={draft.name}
              onChange={(name) => change({ name })}
              fault={nameError}
            />
          </>
        )}
        {changedMeanwhile && (
          <Alert color="orange" variant="light" title="Changed in the meantime">
            Another client changed or removed this upstream since you opened it. Saving overwrites its changes.
          </Alert>
        )}
        <Textarea
          label="Addresses and networks"
          description={networksHelp(draft, upstream)}
          placeholder={hasOwnList(draft) ? 'the built-in list' : '10.0.3.0/24'}
          className={styles.monoInput}
          value={draft.networks}
          onChange={(event) => change({ networks: event.currentTarget.value })}
          error={isEmpty && !sent ? null : (faults.networks ?? null)}
          inputWrapperOrder={['label', 'description', 'input', 'error']}
          autosize
          minRows={2}
          maxRows={8}
          autoComplete="off"
          spellCheck={false}
          {...(upstream === null ? {} : { 'data-autofocus': true })}
        />
        {namings === null ? (
          <Text size="sm">
            Names its client in <b>{headerName(fixed ?? '')}</b>.
          </Text>
        ) : (
          <NativeSelect
            label="Names its client by"
            description="The upstream must set it in every request, and overwrite or append to what its client sent."
            data={[...namings]}
            value={draft.naming}
            onChange={(event) => change({ naming: event.currentTarget.value as UpstreamDraft['naming'] })}
            error={faults.header ?? null}
            inputWrapperOrder={['label', 'description', 'input', 'error']}
          />
        )}
        {draft.naming === 'chain' && draft.preset === null && (
          <Text size="sm" c="dimmed">
            Only if all proxies on the way are yours: every address in their networks can claim to act for any client.
          </Text>
        )}
        {(draft.naming !== 'proxy-protocol' || draft.preset !== null) && (
          <>
            <Checkbox
              label="Its connections begin with PROXY protocol"
              description="Connections without it are then closed."
              checked={draft.proxyProtocol}
              onChange={(event) => change({ proxyProtocol: event.currentTarget.checked })}
            />
            <Checkbox
              label="Serve requests whose header cannot be read"
              description="No block applies to them. If not selected, HAProxy answers 400."
              checked={draft.judgeInvalid}
              onChange={(event) => change({ judgeInvalid: event.currentTarget.checked })}
            />
          </>
        )}
        <TextInput
          label="Note"
          value={draft.note}
          maxLength={500}
          onChange={(event) => change({ note: event.currentTarget.value })}
          error={faults.note ?? null}
          autoComplete="off"
        />
        {set.error !== null && rejected === null && (
          <ProblemAlert title={changeTitle(set.error, 'The upstream was not saved')} error={set.error}>
            <ReloadFailure error={set.error} />
            <ReplaceConsent error={set.error} busy={set.isPending} onReplace={() => save(true)} />
          </ProblemAlert>
        )}
        <DialogButtons
          onCancel={onClose}
          busy={set.isPending}
          note={
            set.isPending
              ? 'Waiting until every worker has it…'
              : effectWords({ isFirst: upstreams.length === 0, attached })
          }
        >
          <Button type="submit" disabled={draft.name === '' || nameError !== null} loading={set.isPending}>
            {upstream === null ? 'Add upstream' : 'Save changes'}
          </Button>
        </DialogButtons>
      </Stack>
    </form>
  );
}

function effectWords({ isFirst, attached }: { readonly isFirst: boolean; readonly attached: boolean }): string {
  if (attached) return 'Your configuration needs the rules that “proxy-manager attach --dry-run --upstreams” prints.';
  return isFirst ? 'The first upstream needs a safe reload.' : 'Takes effect without a reload.';
}

function networksHelp(draft: UpstreamDraft, upstream: Upstream | null): string {
  const claim = 'Every address in them can claim to act for any client: enter only its own.';
  if (draft.preset === null || upstream !== null) return `From where it connects, one per line. ${claim}`;
  const label = presetLabels[draft.preset];
  if (hasOwnList(draft)) return `Leave empty for the built-in list of ${label}.`;
  const [at = ''] = upstreamPresets[draft.preset].publishedAt;
  return `Those of ${label}, published at ${at}. Without them the upstream has no effect.`;
}

function Result({ answer, onClose }: { readonly answer: UpstreamAnswer; readonly onClose: () => void }) {
  return (
    <Stack gap="sm" role="status" aria-label="Result">
      {resultLines(answer).map(({ tone, words }) => (
        <StateMark key={words} tone={tone}>
          {words}
        </StateMark>
      ))}
      {answer.blocked_inside_total > 0 && (
        <Text size="sm">
          Such a block was usually made for the upstream itself. Unblock what is not needed any more:{' '}
          <EntryLinks entries={answer.blocked_inside} total={answer.blocked_inside_total} />
        </Text>
      )}
      <Button onClick={onClose} w="fit-content" ml="auto" data-autofocus>
        Done
      </Button>
    </Stack>
  );
}
