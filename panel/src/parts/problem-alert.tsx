import { Alert, Button, Group, List, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { ApiProblem, ApiUnreachable } from '../../../src/client/client.ts';
import styles from './styles.module.css';

interface ProblemAlertProps {
  readonly error: unknown;
  readonly title: string;
  readonly onRetry?: (() => void) | undefined;
  readonly children?: ReactNode;
}

export function ProblemAlert({ error, title, onRetry, children }: ProblemAlertProps) {
  return (
    <Alert color="red" variant="light" title={title} role="alert">
      <Text size="sm">{sentence(problemText(error))}</Text>
      {error instanceof ApiProblem && fieldsOf(error).length > 0 && (
        <List size="sm" mt={4}>
          {fieldsOf(error).map(({ name, description }) => (
            <List.Item key={`${name} ${description}`}>
              <b>{name}</b>: {description}
            </List.Item>
          ))}
        </List>
      )}
      {children}
      <Group mt="xs" gap="sm">
        {onRetry !== undefined && (
          <Button size="compact-sm" variant="default" onClick={onRetry}>
            Try again
          </Button>
        )}
        {error instanceof ApiProblem && error.requestId !== null && (
          <Text size="xs" c="dimmed" className={styles.mono}>
            Request ID: {error.requestId}
          </Text>
        )}
      </Group>
    </Alert>
  );
}

/** The title of a failed change: `title` if it was certainly not made, which is unknown without a response. */
export function changeTitle(error: unknown, title: string): string {
  // `refused`: the connection was refused, so nothing was sent.
  const unknown = error instanceof ApiUnreachable && error.reason !== 'refused';
  return unknown ? 'No response: the change may or may not have been made' : title;
}

/** Field errors that the detail does not contain. */
function fieldsOf({ problem, message }: ApiProblem) {
  return (problem.errors ?? []).filter(({ description }) => !message.includes(description));
}

export function problemText(error: unknown): string {
  if (error instanceof ApiProblem) return error.message;
  if (error instanceof ApiUnreachable && error.reason === 'foreign') return error.message;
  if (error instanceof ApiUnreachable)
    return 'The service does not respond. It may be stopped or starting. If HAProxy is running, it keeps blocking with the entries it has.';
  return error instanceof Error ? error.message : String(error);
}

/**
 * Turns a detail of the service, written as part of a log line, into a sentence. A first word that is not a plain word
 * (a field, an address) stays unchanged, and so does `typed`, the user's own text.
 */
export function sentence(text: string, typed?: string): string {
  const [word = ''] = /^[^\s,:;]+:?/.exec(text) ?? [];
  const plain = /^[a-z]+(['’][a-z]+)?$/.test(word) && (typed === undefined || typed === '' || !text.startsWith(typed));
  const first = plain ? text.charAt(0).toUpperCase() + text.slice(1) : text;
  return /[.!?]$/.test(first) ? first : `${first}.`;
}
