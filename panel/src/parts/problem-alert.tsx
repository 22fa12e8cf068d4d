// What went wrong, where the person is looking: the service's own words first.
import { Alert, Button, Group, List, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { ApiProblem, Unreachable } from '../api/problem.ts';

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
      {error instanceof ApiProblem && error.fields.length > 0 && (
        <List size="sm" mt={4}>
          {error.fields.map(({ name, description }) => (
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
          <Text size="xs" c="dimmed" className="mono">
            In the log: {error.requestId}
          </Text>
        )}
      </Group>
    </Alert>
  );
}

export function problemText(error: unknown): string {
  if (error instanceof ApiProblem) return error.detail;
  if (error instanceof Unreachable)
    return 'The service does not answer. It may be stopped or starting; the proxy goes on blocking with what it holds.';
  return error instanceof Error ? error.message : String(error);
}

/** The service's details are parts of a log line; on a page they begin as sentences do. */
export function sentence(text: string): string {
  const first = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(first) ? first : `${first}.`;
}
