import type { ReactNode } from 'react';
import classes from './entry-list.module.css';

export type SortColumn = 'address' | 'blocked_at' | 'expires_at';

export interface ListSort {
  readonly by: SortColumn;
  readonly descending: boolean;
  /** Null: the order cannot be changed now. */
  readonly onSort: ((by: SortColumn, descending: boolean) => void) | null;
}

interface ColumnHeaderProps {
  readonly name: SortColumn;
  readonly sort: ListSort;
  readonly children: ReactNode;
}

/** Of a column that the list can be sorted by: the newest first, but the earliest end and the lowest address. */
export function ColumnHeader({ name, sort: { by, descending, onSort }, children }: ColumnHeaderProps) {
  const sorted = by === name;
  const next = sorted ? !descending : name === 'blocked_at';
  return (
    <span role="columnheader" aria-sort={sorted ? (descending ? 'descending' : 'ascending') : 'none'}>
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
