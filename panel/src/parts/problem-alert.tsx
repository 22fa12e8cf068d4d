// What went wrong, where the person is looking: the service's own words first.
import { Alert, Button, Group, List, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { ApiProblem, ApiUnreachable } from '../../../src/client/client.ts';
import styles from './styles.module.css';

export interface ProblemAlertProps {
  readonly error: unknown;
  /** What was being done, such as "The list could not be read". */
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
            In the log: {error.requestId}
          </Text>
        )}
      </Group>
    </Alert>
  );
}

/** The title of a change that failed: `title` says that it was not done, which is known only from an answer. */
export function changeTitle(error: unknown, title: string): string {
  // `refused`: nothing was sent.
  const unknown = error instanceof ApiUnreachable && error.reason !== 'refused';
  return unknown ? 'No answer came; whether it was done is not known' : title;
}

/** What the detail does not say already. */
function fieldsOf({ problem, message }: ApiProblem) {
  return (problem.errors ?? []).filter(({ description }) => !message.includes(description));
}

export function problemText(error: unknown): string {
  if (error instanceof ApiProblem) return error.message;
  if (error instanceof ApiUnreachable && error.reason === 'stranger') return error.message;
  if (error instanceof ApiUnreachable)
    return 'The service does not answer. It may be stopped or starting. If the proxy is running, it keeps blocking with what it has.';
  return error instanceof Error ? error.message : String(error);
}

/**
 * The service's details are parts of a log line; on a page they begin as sentences do. Names of fields, addresses and
 * whatever else is no plain word stay as they are, and so does what somebody typed, where that begins the text.
 */
export function sentence(text: string, typed?: string): string {
  const [word = ''] = /^[^\s,:;]+:?/.exec(text) ?? [];
  const plain = /^[a-z]+(['’][a-z]+)?$/.test(word) && (typed === undefined || typed === '' || !text.startsWith(typed));
  const first = plain ? text.charAt(0).toUpperCase() + text.slice(1) : text;
  return /[.!?]$/.test(first) ? first : `${first}.`;
}
