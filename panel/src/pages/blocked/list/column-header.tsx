import type { ReactNode } from 'react';
import type { SortColumn } from '../../../api/blocked-ips.ts';
import classes from './entry-list.module.css';

export interface ListSort {
  readonly by: SortColumn;
  readonly descending: boolean;
  /** Null: the order cannot be changed now. */
  readonly onSort: ((by: SortColumn, descending: boolean) => void) | null;
}

interface ColumnHeaderProps {
  readonly name: SortColumn;
  readonly sort: ListSort;
  readonly className?: string | undefined;
  readonly children: ReactNode;
}

/** Of a column that the list can be sorted by. */
export function ColumnHeader({ name, sort: { by, descending, onSort }, className, children }: ColumnHeaderProps) {
  const sorted = by === name;
  const next = sorted ? !descending : startsDescending(name);
  return (
    <span
      role="columnheader"
      className={className}
      aria-sort={sorted ? (descending ? 'descending' : 'ascending') : 'none'}
    >
      {onSort === null ? (
        children
      ) : (
        <button type="button" className={classes.sorter} onClick={() => onSort(name, next)}>
          {children}
          {sorted && <span aria-hidden="true">{descending ? '↓' : '↑'}</span>}
        </button>
      )}
    </span>
  );
}

/** The newest and the most first, but the earliest end and the lowest address. */
export function startsDescending(name: SortColumn): boolean {
  return name !== 'address' && name !== 'expires_at';
}
