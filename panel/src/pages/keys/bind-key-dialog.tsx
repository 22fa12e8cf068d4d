import { Autocomplete, Button, Radio, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { counted } from '../../../../src/domain/counted.ts';
import { useBindKey } from '../../api/keys.ts';
import { useSources } from '../../api/sources.ts';
import type { Key } from '../../api/types.ts';
import { Dialog, DialogButtons } from '../../parts/dialog.tsx';
import { changeTitle, ProblemAlert } from '../../parts/problem-alert.tsx';
import { manual } from '../../parts/source-words.ts';
import { toast } from '../../parts/toasts.tsx';
import { maxSourceName, sourceNameFault } from './source-name.ts';

interface BindKeyDialogProps {
  readonly keyToBind: Key;
  readonly onClose: () => void;
}

export function BindKeyDialog({ keyToBind: { name, source: current }, onClose }: BindKeyDialogProps) {
  const bind = useBindKey();
  const known = useSources().data?.items ?? [];
  const [asOperator, setAsOperator] = useState(current === manual);
  const [source, setSource] = useState(current === null || current === manual ? name : current);
  const fault = asOperator ? null : sourceNameFault(source);

  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (fault !== null) return;
    bind.mutate(
      { name, source: asOperator ? manual : source },
      {
        onSuccess: ({ claims_moved: moved, source: to }) => {
          toast({
            title: `Key ${name} is bound to ${to}`,
            words: moved === 0 ? 'No claims were moved.' : `${counted(moved, 'claim')} moved there.`,
          });
          onClose();
        },
      },
    );
  };

  return (
    <Dialog title={`Bind key ${name} to a source`} onClose={onClose}>
      <form onSubmit={submit}>
        <Stack gap="md">
          <Radio.Group
            aria-label="What the key acts for"
            value={asOperator ? manual : 'source'}
            onChange={(value) => setAsOperator(value === manual)}
          >
            <Stack gap="xs">
              <Radio
                value="source"
                label="A source of its own"
                description="It changes only the claims of this source, so it cannot lift the blocks of operators."
                data-autofocus
              />
              <Radio
                value={manual}
                label="An operator"
                description="It changes the claims of manual, and its unblocks drop those of agents too."
              />
            </Stack>
          </Radio.Group>
          {!asOperator && (
            <Autocomplete
              label="Source"
              description="A new name creates the source."
              placeholder="fail2ban"
              data={known.filter(({ kind }) => kind !== 'manual').map((one) => one.name)}
              value={source}
              onChange={(value) => setSource(value.trim())}
              error={source === '' ? null : fault}
              maxLength={maxSourceName}
              autoComplete="off"
              spellCheck={false}
            />
          )}
          <Text size="sm" c="dimmed">
            The claims that this key made as manual move to the source. Nothing is unblocked.
          </Text>
          {bind.error !== null && (
            <ProblemAlert title={changeTitle(bind.error, 'The key was not bound')} error={bind.error} />
          )}
          <DialogButtons onCancel={onClose} busy={bind.isPending}>
            <Button type="submit" disabled={fault !== null} loading={bind.isPending}>
              Bind key
            </Button>
          </DialogButtons>
        </Stack>
      </form>
    </Dialog>
  );
}
