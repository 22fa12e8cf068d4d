import type { ReactNode } from 'react';
import cards from './card-rows.module.css';
import classes from './list-table.module.css';
import { useRowKeys } from './use-row-keys.ts';

interface ListTableProps {
  readonly label: string;
  readonly columns: readonly string[];
  /** Columns of figures, which are aligned to the right, as their cells (`data-figure`). */
  readonly figures?: readonly string[];
  /** On a phone each row is a card of two lines: `data-card` is the place of a cell. Else it has a line for each cell. */
  readonly isCards?: boolean;
  /** Title of the last column, with the buttons (`<td data-actions>`); null: no such column. */
  readonly buttons: string | null;
  /** One `<tr data-row>` each; `data-label` is the label of a cell where columns do not fit. */
  readonly children: ReactNode;
}

export function ListTable({ label, columns, figures = [], isCards = false, buttons, children }: ListTableProps) {
  const rows = useRowKeys();
  return (
    <table className={`${classes.rows} ${isCards ? cards.cards : ''}`} aria-label={label}>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column} scope="col" data-figure={figures.includes(column) || undefined}>
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
