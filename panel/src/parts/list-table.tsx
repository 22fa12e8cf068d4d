// A small list as a table that the keyboard goes through: what every list of the panel has around its rows.
import type { ReactNode } from 'react';
import classes from './list-table.module.css';
import { useRowKeys } from './use-row-keys.ts';

export interface ListTableProps {
  /** What is listed, for whoever hears the page. */
  readonly label: string;
  readonly columns: readonly string[];
  /** The name of the last column, where the buttons stand (`<td data-actions>`); null: there is none. */
  readonly buttons: string | null;
  /** A `<tr data-row>` for each, its cells with the `data-label` that stands before them where there is no room for columns. */
  readonly children: ReactNode;
}

export function ListTable({ label, columns, buttons, children }: ListTableProps) {
  const rows = useRowKeys();
  return (
    <table className={classes.rows} aria-label={label}>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column} scope="col">
              {column}
            </th>
          ))}
          {buttons !== null && (
            <th scope="col" data-actions>
              {buttons}
            </th>
          )}
        </tr>
      </thead>
      <tbody ref={rows} data-rows>
        {children}
      </tbody>
    </table>
  );
}
