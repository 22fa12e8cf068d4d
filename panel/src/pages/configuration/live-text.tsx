import { Button, Group, NativeSelect, Text } from '@mantine/core';
import { useMemo, useRef } from 'react';
import { count } from '../../../../src/domain/counted.ts';
import { useConfig } from '../../api/config.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { DownloadIcon } from '../../parts/icons.tsx';
import { Read } from '../../parts/read.tsx';
import { saveFile } from '../../parts/save-file.ts';
import styles from '../../parts/styles.module.css';
import { CodeView } from './code/code-view.tsx';
import { sectionOf } from './code/lexer.ts';

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
      <Read of={config} failed="Could not load the configuration" loading="Loading the configuration">
        {({ path, sha256, text }) => (
          <>
            <Group justify="space-between" mb="xs" gap="xs">
              <div>
                <Text size="sm" className={`${styles.mono} ${styles.wrap}`}>
                  {path}
                </Text>
                <Text size="xs" c="dimmed" className={styles.figure} title={`SHA-256 ${sha256}`}>
                  {count(lines.length)} lines, SHA-256 {sha256.slice(0, 12)}
                </Text>
              </div>
              <Group gap="xs">
                <NativeSelect
                  aria-label="Go to section"
                  data={[{ value: '', label: 'Go to section…' }, ...sections]}
                  value=""
                  onChange={(event) => goTo(event.currentTarget.value)}
                  maw={240}
                />
                <CopyButton text={text} label="Copy text" />
                <Button
                  variant="default"
                  leftSection={<DownloadIcon size={16} />}
                  onClick={() => saveFile(new Blob([text], { type: 'text/plain' }), 'proxy.cfg')}
                >
                  Download file
                </Button>
              </Group>
            </Group>
            <CodeView label="Live configuration" lines={lines} scroller={scroller} />
          </>
        )}
      </Read>
    </>
  );
}

function sectionsOf(lines: readonly string[]): { readonly value: string; readonly label: string }[] {
  return lines.flatMap((line, index) => {
    const section = sectionOf(line);
    return section === null ? [] : [{ value: String(index + 1), label: `${section.type} ${section.name}`.trim() }];
  });
}
