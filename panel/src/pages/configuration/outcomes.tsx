import { Alert, Text } from '@mantine/core';
import type { ReloadAnswer, ValidationAnswer } from '../../api/types.ts';
import { Age } from '../../parts/age.tsx';
import { Messages } from '../../parts/messages.tsx';
import { reloadWords } from '../../parts/reload-words.ts';
import { validationWords } from './validation-words.ts';

interface ReloadedProps {
  readonly answer: ReloadAnswer;
  readonly at: string;
  readonly onClose: () => void;
}

export function Reloaded({ answer, at, onClose }: ReloadedProps) {
  const { changed, warnings } = answer;
  return (
    <Alert
      color={warnings.length > 0 ? 'orange' : 'green'}
      variant="light"
      title={changed ? 'The new configuration is live' : 'HAProxy reloaded with the same configuration'}
      role="status"
      withCloseButton
      closeButtonLabel="Dismiss"
      onClose={onClose}
    >
      <Text size="sm">
        {reloadWords(answer)} Finished <Age time={at} />.
      </Text>
      {warnings.length > 0 && <Messages label="HAProxy warnings" text={warnings.join('\n')} />}
    </Alert>
  );
}

export function Validated({ answer, onClose }: { readonly answer: ValidationAnswer; readonly onClose: () => void }) {
  const { valid, output, warnings, needs_replace_configuration: replaces } = answer;
  const { color, title } = validationWords(answer);
  // HAProxy marks its messages; attached mode renders nothing, and has no hash either.
  const isOfTemplate = !valid && answer.sha256 === '' && !/^\[[A-Z]+\]/m.test(output);
  // The output has HAProxy's own.
  const others = warnings.filter((warning) => !warning.startsWith('HAProxy: '));
  return (
    <Alert
      color={color}
      variant="light"
      title={title}
      role={valid ? 'status' : 'alert'}
      withCloseButton
      closeButtonLabel="Dismiss"
      onClose={onClose}
    >
      <Text size="sm">
        {valid
          ? `A reload would deploy this configuration${replaces ? ', once you confirm that it replaces the live one' : ''}. Nothing was changed.`
          : 'A reload would be refused for the reason below. Nothing was changed.'}
      </Text>
      {others.length > 0 && <Messages label="Warnings" text={others.join('\n')} />}
      {output.trim() !== '' && (
        <Messages label={isOfTemplate ? 'Template messages' : 'HAProxy messages'} text={output} />
      )}
    </Alert>
  );
}
