import { Button, Group, Text } from '@mantine/core';
import { randomId } from '@mantine/hooks';
import { notifications, notificationsStore } from '@mantine/notifications';
import { changeTitle, problemText, sentence } from './problem-alert.tsx';
import type { Tone } from './state-mark.tsx';
import styles from './styles.module.css';

interface ToastOptions {
  readonly title: string;
  readonly words?: string;
  readonly tone?: Tone;
  /** Its subject, such as an address: an older message about the same, with its Undo, is dismissed. */
  readonly about?: string;
  readonly action?: { readonly label: string; readonly run: () => void };
}

const colours: Readonly<Record<Tone, string>> = { good: 'teal', bad: 'red', warn: 'orange', unknown: 'gray' };

export function toast({ title, words, tone = 'good', about, action }: ToastOptions): void {
  // Not `crypto.randomUUID`, which browsers offer only over HTTPS or on localhost.
  const id = `${about ?? ''} ${randomId('toast-')}`;
  if (about !== undefined)
    for (const { id: older } of notificationsStore.getState().notifications)
      if (older?.startsWith(`${about} `)) notifications.hide(older);
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
    closeButtonProps: { 'aria-label': 'Dismiss message' },
    message: (
      <Group justify="space-between" gap="sm" wrap="nowrap" align="flex-end">
        <Text size="sm" className={styles.wrap}>
          {words}
        </Text>
        {action !== undefined && (
          <Button size="compact-sm" variant="default" onClick={run} flex="none">
            {action.label}
          </Button>
        )}
      </Group>
    ),
  });
}

export function toastProblem(title: string, error: unknown): void {
  toast({ title: changeTitle(error, title), words: sentence(problemText(error)), tone: 'bad' });
}
