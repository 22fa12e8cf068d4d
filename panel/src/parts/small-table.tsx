import { Anchor, Group, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { PanelPage } from '../../../src/http/panel-pages.ts';
import cards from './card-rows.module.css';
import classes from './small-table.module.css';
import styles from './styles.module.css';
import { useRowKeys } from './use-row-keys.ts';

interface Column {
  readonly name: string;
  readonly figure?: boolean;
  /** Only for screen readers. */
  readonly hidden?: boolean;
  /** Not on a phone. */
  readonly wide?: boolean;
}

interface SmallTableProps {
  readonly title: string;
  readonly id: string;
  /** What the link of the heading shows. */
  readonly link?: {
    readonly words: string;
    readonly to: PanelPage;
    readonly search?: Readonly<Record<string, string>>;
  };
  /** Beside the heading. */
  readonly aside?: ReactNode;
  /** Those with `figure` are aligned to the right. */
  readonly columns: readonly Column[];
  readonly rows: readonly ReactNode[];
  /** Instead of a table without rows. */
  readonly empty: ReactNode;
  readonly note?: ReactNode;
  /** On a phone each row is a card of two lines: `data-card` is the place of a cell. */
  readonly isCards?: boolean;
}

/** The first rows of a longer list. */
export function SmallTable({ title, id, link, aside, columns, rows, empty, note, isCards = false }: SmallTableProps) {
  const keys = useRowKeys();
  return (
    <section className={`${styles.card} ${classes.box}`} id={id} aria-label={title}>
      <Group justify="space-between" gap="xs" className={classes.head}>
        <Title order={2} size="sm">
          {title}
        </Title>
        {link !== undefined && (
          <Anchor size="xs" renderRoot={(props) => <Link to={link.to} search={link.search ?? {}} {...props} />}>
            {link.words}
          </Anchor>
        )}
        {aside}
      </Group>
      {rows.length === 0 ? (
        <Text size="sm" c="dimmed" component="div" className={classes.note}>
          {empty}
        </Text>
      ) : (
        <table className={`${classes.table} ${isCards ? cards.cards : ''}`} aria-label={title}>
          <thead>
            <tr>
              {columns.map(({ name, figure, hidden, wide }) => (
                <th key={name} scope="col" data-figure={figure} className={wide === true ? classes.wide : undefined}>
                  <span className={hidden === true ? classes.unseen : undefined}>{name}</span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody ref={keys} data-rows>
            {rows}
          </tbody>
        </table>
      )}
      {note !== undefined && (
        <Text size="xs" c="dimmed" component="div" className={classes.note}>
          {note}
        </Text>
      )}
    </section>
  );
}
