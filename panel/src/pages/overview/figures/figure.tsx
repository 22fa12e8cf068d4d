import { Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { PanelPage } from '../../../../../src/http/panel-pages.ts';
import classes from './figures.module.css';

interface FigureProps {
  readonly name: string;
  readonly value: string;
  /** Why the value may be wrong; null: all of its time was watched. */
  readonly why?: string | null;
  /** Null: nothing to compare with. */
  readonly trend: string | null;
  readonly about: string;
  readonly to: PanelPage;
  readonly search?: Readonly<Record<string, string>>;
  readonly children?: ReactNode;
}

export function Figure({ name, value, why = null, trend, about, to, search, children }: FigureProps) {
  const content = (
    <>
      <Text size="sm" c="dimmed" component="span" display="block">
        {name}
      </Text>
      <span className={classes.value}>
        <b {...(why === null ? {} : { title: why })}>{value}</b>
        {trend !== null && (
          <Text span size="xs" c="dimmed">
            {' '}
            {trend}
          </Text>
        )}
      </span>
      <Text size="xs" c="dimmed" component="span" display="block">
        {about}
      </Text>
      <span className={classes.picture}>{children}</span>
    </>
  );
  return (
    <Link className={classes.figure} to={to} {...(search === undefined ? {} : { search })}>
      {content}
    </Link>
  );
}
