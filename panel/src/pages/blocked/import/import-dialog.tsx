// Import in steps: choose a list, preview it, send it. Nothing is sent before the preview is confirmed.

import { Alert, Button, Stack, Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { count } from '../../../../../src/domain/counted.ts';
import { useRefreshBlocked } from '../../../api/blocked-ips.ts';
import { Dialog } from '../../../parts/dialog.tsx';
import { Loading } from '../../../parts/loading.tsx';
import { sentence } from '../../../parts/problem-alert.tsx';
import { useApi } from '../../../session/session.ts';
import { permanent } from '../block/duration-field.tsx';
import { ListSource } from './list-source.tsx';
import { type Preview, readPreview, withCorrections } from './preview.ts';
import { type Defaults, PreviewStep } from './preview-step.tsx';
import { SendingStep } from './sending-step.tsx';
import { type Common, emptyTally, type Tally, transfer } from './transfer.ts';

type Step =
  | { readonly kind: 'source' }
  | { readonly kind: 'reading'; readonly name: string; readonly lines: number }
  | { readonly kind: 'unreadable'; readonly name: string; readonly why: string }
  | { readonly kind: 'preview'; readonly preview: Preview }
  | { readonly kind: 'sending' | 'stopped' | 'done'; readonly preview: Preview; readonly common: Common };

export function ImportDialog({ onClose }: { readonly onClose: () => void }) {
  const api = useApi();
  const refresh = useRefreshBlocked();
  const [step, setStep] = useState<Step>({ kind: 'source' });
  // Kept while the user goes back to the source.
  const [pasted, setPasted] = useState('');
  const [defaults, setDefaults] = useState<Defaults>({ reason: '', duration: permanent });
  const [tally, setTally] = useState<Tally>(emptyTally);
  const [failure, setFailure] = useState<unknown>(null);
  const stop = useRef(new AbortController());
  useEffect(() => () => stop.current.abort(), []);

  const open = async (list: Blob, name: string): Promise<void> => {
    setStep({ kind: 'reading', name, lines: 0 });
    setTally(emptyTally);
    try {
      const { signal } = stop.current;
      const preview = await readPreview(list, (lines) => setStep({ kind: 'reading', name, lines }), signal);
      setStep({ kind: 'preview', preview });
    } catch (error) {
      setStep({ kind: 'unreadable', name, why: `${name} ${error instanceof Error ? error.message : String(error)}` });
    }
  };
  const send = async (preview: Preview, common: Common): Promise<void> => {
    stop.current = new AbortController();
    setStep({ kind: 'sending', preview, common });
    setFailure(null);
    try {
      await transfer(api, preview.entries, common, tally, setTally, stop.current.signal);
      setStep({ kind: stop.current.signal.aborted ? 'stopped' : 'done', preview, common });
    } catch (error) {
      setFailure(error);
      setStep({ kind: 'stopped', preview, common });
    } finally {
      refresh();
    }
  };

  return (
    <Dialog
      title="Import a list"
      size="xl"
      dismissible={step.kind !== 'sending'}
      closeOnClickOutside={step.kind === 'source'}
      onClose={onClose}
    >
      <Stack gap="md">
        {step.kind === 'source' && (
          <ListSource text={pasted} onText={setPasted} onList={(list, name) => void open(list, name)} />
        )}
        {step.kind === 'reading' && <Loading what={`Reading ${step.name}, line ${count(step.lines)}`} />}
        {step.kind === 'unreadable' && (
          <Alert color="red" variant="light" title="Could not read the list" role="alert">
            <Text size="sm">{sentence(step.why, step.name)}</Text>
            <Button mt="sm" size="compact-sm" variant="default" onClick={() => setStep({ kind: 'source' })}>
              Choose another list
            </Button>
          </Alert>
        )}
        {step.kind === 'preview' && (
          <PreviewStep
            preview={step.preview}
            defaults={defaults}
            onDefaults={setDefaults}
            onCorrect={() => setStep({ kind: 'preview', preview: withCorrections(step.preview) })}
            onBack={() => setStep({ kind: 'source' })}
            onSend={(common) => void send(step.preview, common)}
          />
        )}
        {(step.kind === 'sending' || step.kind === 'stopped' || step.kind === 'done') && (
          <SendingStep
            kind={step.kind}
            tally={tally}
            total={step.preview.entries.length}
            failure={failure}
            onStop={() => stop.current.abort()}
            onResume={() => void send(step.preview, step.common)}
            onClose={onClose}
          />
        )}
      </Stack>
    </Dialog>
  );
}
