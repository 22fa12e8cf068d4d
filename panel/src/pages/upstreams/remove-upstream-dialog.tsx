import { Stack, Text } from '@mantine/core';
import { useHealth } from '../../api/health.ts';
import type { Upstream } from '../../api/types.ts';
import { useRemoveUpstream, useSetUpstream } from '../../api/upstreams.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { ReloadFailure } from '../../parts/reload-failure.tsx';
import { reloadWords } from '../../parts/reload-words.ts';
import { ReplaceConsent } from '../../parts/replace-consent.tsx';
import { toast, toastProblem } from '../../parts/toasts.tsx';
import { runtimeWords } from '../blocked/runtime-words.ts';
import { draftOf, requestOf } from './upstream-draft.ts';
import { removalWords } from './upstream-words.ts';

interface RemoveUpstreamDialogProps {
  readonly upstream: Upstream | null;
  readonly isLast: boolean;
  readonly onClose: () => void;
}

export function RemoveUpstreamDialog({ upstream, isLast, onClose }: RemoveUpstreamDialogProps) {
  const remove = useRemoveUpstream();
  const set = useSetUpstream();
  const health = useHealth();
  if (upstream === null) return null;
  const { name } = upstream;
  const undo = async (): Promise<void> => {
    try {
      const answer = await set.mutateAsync({ name, body: requestOf(draftOf(upstream), null) });
      toast({ title: `${name} is an upstream again`, ...runtimeWords(answer) });
    } catch (error) {
      toastProblem(`Could not restore ${name}`, error);
    }
  };
  const removeIt = async (replace: boolean): Promise<void> => {
    const answer = await remove.mutateAsync({ name, replace });
    const { tone, words } = runtimeWords(answer);
    toast({
      title: `${name} is no longer an upstream`,
      words: answer.reload === undefined ? words : `${words} ${reloadWords(answer.reload)}`,
      tone,
      action: { label: 'Undo', run: () => void undo() },
    });
  };
  const attached = health.data?.attached != null;
  return (
    <Confirm
      title={`Remove upstream ${name}?`}
      action="Remove upstream"
      onClose={onClose}
      failure={(error) => (
        <>
          <ReloadFailure error={error} />
          <ReplaceConsent
            error={error}
            busy={remove.isPending}
            onReplace={() =>
              void removeIt(true).then(onClose, (why: unknown) => toastProblem(`Could not remove ${name}`, why))
            }
          />
        </>
      )}
      onConfirm={() => removeIt(false)}
    >
      <Stack gap="xs">
        {removalWords(upstream, { isLast, attached }).map((line) => (
          <Text size="sm" key={line}>
            {line}
          </Text>
        ))}
      </Stack>
    </Confirm>
  );
}
