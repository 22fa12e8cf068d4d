import { Button, Menu } from '@mantine/core';
import type { SortColumn } from '../../../api/blocked-ips.ts';
import { CheckIcon } from '../../../parts/icons.tsx';
import { type ListSort, startsDescending } from './column-header.tsx';

export const columnNames: Readonly<Record<SortColumn, string>> = {
  address: 'Address',
  hits: 'Denied, 24 h',
  last_hit: 'Last hit',
  blocked_at: 'Blocked',
  expires_at: 'Expires',
};
const columns = Object.keys(columnNames) as SortColumn[];

/** Of the list on a phone, which has no headers. A second choice of the same column turns the order around. */
export function OrderMenu({ sort: { by, descending, onSort } }: { readonly sort: ListSort }) {
  const label = columnNames[by];
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button
          size="compact-sm"
          variant="subtle"
          color="gray"
          hiddenFrom="sm"
          mih={44}
          disabled={onSort === null}
          aria-label={`Order: ${label}, ${descending ? 'descending' : 'ascending'}`}
        >
          {label} {descending ? '↓' : '↑'}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {columns.map((name) => (
          <Menu.Item
            key={name}
            rightSection={name === by ? <CheckIcon size={14} /> : null}
            onClick={() => onSort?.(name, name === by ? !descending : startsDescending(name))}
          >
            {columnNames[name]}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
