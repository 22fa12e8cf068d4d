// What came of the last validation or reload of this page; it stays until it is put away.
import { Alert, Text } from '@mantine/core';
import type { ReloadAnswer, ValidationAnswer } from '../../api/types.ts';
import { Age } from '../../parts/age.tsx';
import { Messages } from '../../parts/messages.tsx';
import { reloadWords } from '../../parts/reload-words.ts';
import { validationWords } from './validation-words.ts';

export interface ReloadedProps {
  readonly answer: ReloadAnswer;
  /** When it ended, by the service's clock. */
  readonly at: string;
  readonly onClose: () => void;
}

export function Reloaded({ answer, at, onClose }: ReloadedProps) {
  const { changed, warnings } = answer;
  return (
    <Alert
      color={warnings.length > 0 ? 'orange' : 'green'}
      variant="light"
      title={changed ? 'The new configuration went live' : 'The proxy was reloaded with the same configuration'}
      role="status"
      withCloseButton
      closeButtonLabel="Put this away"
      onClose={onClose}
    >
      <Text size="sm">
        {reloadWords(answer)} That was <Age time={at} />.
      </Text>
      {warnings.length > 0 && <Messages label="HAProxy’s own warnings" text={warnings.join('\n')} />}
    </Alert>
  );
}

export function Validated({ answer, onClose }: { readonly answer: ValidationAnswer; readonly onClose: () => void }) {
  const { valid, output } = answer;
  const { color, title } = validationWords(answer);
  return (
    <Alert
      color={color}
      variant="light"
      title={title}
      role={valid ? 'status' : 'alert'}
      withCloseButton
      closeButtonLabel="Put this away"
      onClose={onClose}
    >
      <Text size="sm">
        {valid
          ? 'What a reload would deploy now is valid. Nothing was changed.'
          : 'Nothing was changed: what is live stays live. This is what is wrong with what a reload would deploy now.'}
      </Text>
      {output.trim() !== '' && <Messages label="HAProxy’s own messages" text={output} />}
    </Alert>
  );
}
