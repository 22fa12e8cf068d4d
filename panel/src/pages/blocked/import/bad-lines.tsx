import { Button, ScrollArea, Table, Text } from '@mantine/core';
import { useState } from 'react';
import { count } from '../../../../../src/domain/counted.ts';
import styles from '../../../parts/styles.module.css';
import classes from './import.module.css';
import type { BadLine } from './preview.ts';

const initiallyShown = 100;

interface BadLinesProps {
  readonly lines: readonly BadLine[];
  readonly label: string;
  readonly heading?: string;
}

export function BadLines({ lines, label, heading = 'Problem' }: BadLinesProps) {
  const [shown, setShown] = useState(initiallyShown);
  return (
    <ScrollArea.Autosize
      mah={240}
      type="auto"
      className={`${styles.card} ${classes.badLines}`}
      viewportProps={{ tabIndex: 0 }}
    >
      <Table aria-label={label} verticalSpacing={4}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th w={80}>Line</Table.Th>
            <Table.Th>{heading}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {lines.slice(0, shown).map(({ line, value, why }) => (
            <Table.Tr key={`${line} ${value}`}>
              <Table.Td className={styles.figure}>{count(line)}</Table.Td>
              <Table.Td className={styles.wrap}>
                <Text span size="sm">
                  {why}
                </Text>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {lines.length > shown && (
        <Button size="compact-sm" variant="default" m="xs" onClick={() => setShown(shown + 1_000)}>
          Show more lines ({count(lines.length)} in total)
        </Button>
      )}
    </ScrollArea.Autosize>
  );
}
