import type { ReactNode } from 'react';
import classes from './list-table.module.css';
import { useRowKeys } from './use-row-keys.ts';

interface ListTableProps {
  readonly label: string;
  readonly columns: readonly string[];
  /** Title of the last column, with the buttons (`<td data-actions>`); null: no such column. */
  readonly buttons: string | null;
  /** One `<tr data-row>` each; `data-label` is the label of a cell where columns do not fit. */
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
