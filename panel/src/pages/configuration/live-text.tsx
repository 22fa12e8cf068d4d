import { Button, Group, NativeSelect, Text } from '@mantine/core';
import { useMemo, useRef } from 'react';
import { useConfig } from '../../api/config.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { DownloadIcon } from '../../parts/icons.tsx';
import { Loading } from '../../parts/loading.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { CodeView } from './code/code-view.tsx';
import { sectionOf } from './code/lexer.ts';

/** What is live, byte for byte, to read. */
export function LiveText() {
  const config = useConfig();
  const scroller = useRef<HTMLElement>(null);
  const text = config.data?.text;
  const lines = useMemo(() => (text ?? '').replace(/\n$/, '').split('\n'), [text]);
  const sections = useMemo(() => sectionsOf(lines), [lines]);
  const goTo = (line: string): void => {
    const target = scroller.current?.querySelector(`[data-n="${CSS.escape(line)}"]`);
    target?.scrollIntoView({ block: 'start' });
    scroller.current?.focus({ preventScroll: true });
  };
  return (
    <>
      {config.error !== null && (
        <ProblemAlert
          title={config.data === undefined ? 'The configuration could not be read' : 'What you see may be old'}
          error={config.error}
          onRetry={() => void config.refetch()}
        />
      )}
      {config.data === undefined ? (
        config.error === null && <Loading what="Reading the configuration" />
      ) : (
        <>
          <Group justify="space-between" mb="xs" gap="xs">
            <div>
              <Text size="sm" className="mono wrap-anywhere">
                {config.data.path}
              </Text>
              <Text size="xs" c="dimmed" className="figure" title={`SHA-256 ${config.data.sha256}`}>
                {lines.length.toLocaleString()} lines, fingerprint {config.data.sha256.slice(0, 12)}
              </Text>
            </div>
            <Group gap="xs">
              <NativeSelect
                aria-label="Go to a section"
                data={[{ value: '', label: 'Go to …' }, ...sections]}
                value=""
                onChange={(event) => goTo(event.currentTarget.value)}
                maw={240}
              />
              <CopyButton text={config.data.text} />
              <Button variant="default" leftSection={<DownloadIcon size={16} />} onClick={() => save(config.data.text)}>
                Save
              </Button>
            </Group>
          </Group>
          <CodeView label="The live configuration" lines={lines} scroller={scroller} />
        </>
      )}
    </>
  );
}

function sectionsOf(lines: readonly string[]): { readonly value: string; readonly label: string }[] {
  return lines.flatMap((line, index) => {
    const section = sectionOf(line);
    return section === null ? [] : [{ value: String(index + 1), label: `${section.type} ${section.name}`.trim() }];
  });
}

function save(text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = 'proxy.cfg';
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
