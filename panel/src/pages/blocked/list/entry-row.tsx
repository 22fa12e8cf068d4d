import { ActionIcon, Text } from '@mantine/core';
import type { BlockedIp } from '../../../api/types.ts';
import { Age } from '../../../parts/age.tsx';
import { TrashIcon } from '../../../parts/icons.tsx';
import { placeOf } from '../search.ts';

export interface EntryRowProps {
  readonly id: string;
  readonly index: number;
  /** Undefined: not read yet. */
  readonly entry: BlockedIp | undefined;
  /** Pixels. */
  readonly top: number;
  readonly height: number;
  readonly active: boolean;
  readonly selected: boolean;
  /** A part of the reason or of who blocked it that was looked for; empty: none. */
  readonly found: string;
  readonly onActivate: () => void;
  readonly onSelect: ((extend: boolean) => void) | null;
  readonly onOpen: (entry: BlockedIp) => void;
  readonly onRemove: ((entry: BlockedIp) => void) | null;
}

export function EntryRow(props: EntryRowProps) {
  const { id, index, entry, top, height, active, selected, found, onActivate, onSelect, onOpen, onRemove } = props;
  if (entry === undefined) {
    return (
      <div
        id={id}
        className="entries-row"
        role="row"
        aria-rowindex={index + 2}
        aria-busy="true"
        style={{ top, height }}
      >
        <span role="gridcell" className="entries-waiting" aria-label="Loading" />
      </div>
    );
  }
  const ip = entry.ip_address;
  return (
    <div
      id={id}
      className="entries-row"
      role="row"
      aria-rowindex={index + 2}
      aria-selected={selected}
      data-active={active}
      style={{ top, height }}
      onClick={() => {
        onActivate();
        onOpen(entry);
      }}
    >
      <span role="gridcell" className="entries-select">
        {onSelect !== null && (
          <input
            type="checkbox"
            tabIndex={-1}
            aria-label={`Select ${ip}`}
            checked={selected}
            onClick={(event) => {
              event.stopPropagation();
              onActivate();
              onSelect(event.shiftKey);
            }}
            onChange={() => undefined}
          />
        )}
      </span>
      <span role="gridcell" className="entries-address mono">
        {ip}
      </span>
      <span role="gridcell" className="entries-reason" title={entry.reason ?? ''}>
        {entry.reason === null ? (
          <Text span inherit c="dimmed">
            none given
          </Text>
        ) : (
          <Marked said={entry.reason} part={found} />
        )}
      </span>
      <span role="gridcell" className="entries-by" title={entry.blocked_by ?? ''}>
        {entry.blocked_by === null ? '–' : <Marked said={entry.blocked_by} part={found} />}
      </span>
      <span role="gridcell" className="entries-until">
        {entry.expires_at === null ? 'for good' : <Age time={entry.expires_at} />}
      </span>
      <span role="gridcell" className="entries-remove">
        {onRemove !== null && (
          <ActionIcon
            variant="subtle"
            color="gray"
            tabIndex={-1}
            aria-label={`Remove ${ip}`}
            title="Remove"
            onClick={(event) => {
              event.stopPropagation();
              onRemove(entry);
            }}
          >
            <TrashIcon />
          </ActionIcon>
        )}
      </span>
    </div>
  );
}

function Marked({ said, part }: { readonly said: string; readonly part: string }) {
  const place = placeOf(part, said);
  if (place === null) return said;
  return (
    <>
      {said.slice(0, place.from)}
      <mark>{said.slice(place.from, place.to)}</mark>
      {said.slice(place.to)}
    </>
  );
}
