// Short messages that need no answer. What failed stays until it is put away.
import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { changeTitle, problemText, sentence } from './problem-alert.tsx';
import type { Tone } from './state-mark.tsx';

export interface ToastOptions {
  readonly title: string;
  readonly words?: string;
  readonly tone?: Tone;
  /** A button, such as "Undo". */
  readonly action?: { readonly label: string; readonly run: () => void };
}

const colours: Readonly<Record<Tone, string>> = { good: 'teal', bad: 'red', warn: 'orange', unknown: 'gray' };

export function toast({ title, words, tone = 'good', action }: ToastOptions): void {
  const id = crypto.randomUUID();
  const run = (): void => {
    notifications.hide(id);
    action?.run();
  };
  notifications.show({
    id,
    title,
    color: colours[tone],
    withBorder: true,
    autoClose: tone === 'good' ? (action === undefined ? 5_000 : 15_000) : tone === 'bad' ? false : 15_000,
    closeButtonProps: { 'aria-label': 'Put this message away' },
    message: (
      <Group justify="space-between" gap="sm" wrap="nowrap" align="flex-end">
        <Text size="sm" className="wrap-anywhere">
          {words}
        </Text>
        {action !== undefined && (
          <Button size="compact-sm" variant="default" onClick={run} style={{ flex: 'none' }}>
            {action.label}
          </Button>
        )}
      </Group>
    ),
  });
}

/** Of a change that failed. */
export function toastProblem(title: string, error: unknown): void {
  toast({ title: changeTitle(error, title), words: sentence(problemText(error)), tone: 'bad' });
}
