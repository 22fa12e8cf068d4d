import { Anchor, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { count, counted } from '../../../../src/domain/counted.ts';
import type { PresetName } from '../../../../src/domain/upstream-presets.ts';
import type { Upstream, UpstreamList } from '../../api/types.ts';
import { Age } from '../../parts/age.tsx';
import { ListTable } from '../../parts/list-table.tsx';
import { presetLabels } from '../../parts/preset-labels.ts';
import { EditButton, RemoveButton, RowButtons } from '../../parts/row-buttons.tsx';
import { StateMark } from '../../parts/state-mark.tsx';
import styles from '../../parts/styles.module.css';
import { UserText } from '../../parts/user-text.tsx';
import { useAllowed } from '../../session/session.ts';
import { extentWords, insideWords, namingWords, stateWords } from './upstream-words.ts';

const shownNetworks = 3;
const shownInside = 3;

interface UpstreamTableProps {
  readonly list: UpstreamList;
  readonly stale: boolean;
  readonly onEdit: (upstream: Upstream) => void;
  readonly onRemove: (upstream: Upstream) => void;
}

export function UpstreamTable({ list, stale, onEdit, onRemove }: UpstreamTableProps) {
  const may = useAllowed('admin');
  const table = (
    <ListTable
      label="Upstreams"
      columns={['Name', 'Networks', 'Names its client by', 'State']}
      buttons={may ? 'Actions' : null}
    >
      {list.items.map((upstream) => {
        const { name, preset, note } = upstream;
        const { tone, words } = stateWords(upstream, list);
        return (
          <tr key={name} data-row>
            <td data-label="Name" data-long data-roomy>
              <div>
                <b>{name}</b>
                {preset !== null && (
                  <Text size="xs" c="dimmed">
                    {presetLabels[preset as PresetName] ?? preset}
                  </Text>
                )}
                {note !== null && (
                  <Text size="xs" c="dimmed">
                    <UserText text={note} />
                  </Text>
                )}
              </div>
            </td>
            <td data-label="Networks" data-roomy>
              <Networks of={upstream} />
            </td>
            <td data-label="Names its client by" data-roomy="wide">
              <div>
                {namingWords(upstream)}
                {upstream.on_invalid === 'judge_upstream' && (
                  <Text size="xs" c="dimmed">
                    Serves requests whose header cannot be read
                  </Text>
                )}
              </div>
            </td>
            <td data-label="State" data-roomy>
              <div>
                <StateMark tone={stale && tone === 'good' ? 'unknown' : tone}>{words}</StateMark>
                <Unnamed of={upstream} />
                <Inside of={upstream} />
              </div>
            </td>
            {may && (
              <td data-actions>
                <RowButtons>
                  <EditButton label={`Edit ${name}`} onClick={() => onEdit(upstream)} />
                  <RemoveButton label={`Remove ${name}`} onClick={() => onRemove(upstream)} />
                </RowButtons>
              </td>
            )}
          </tr>
        );
      })}
    </ListTable>
  );
  const hasUnnamed = list.items.some(({ unnamed_requests: requests }) => (requests ?? 0) > 0);
  return (
    <>
      {table}
      {hasUnnamed && (
        <Text size="xs" c="dimmed" mt="sm">
          Requests that name no client: a few are the health checks of a load balancer. If the number grows with the
          traffic, the upstream does not send its header, and no block applies to what it sends.
        </Text>
      )}
    </>
  );
}

function Networks({ of: upstream }: { readonly of: Upstream }) {
  const [all, setAll] = useState(false);
  const { name, networks, networks_at: at } = upstream;
  if (networks.length === 0) return <span className={styles.none}>None</span>;
  const more = networks.length - shownNetworks;
  const shown = all ? networks : networks.slice(0, shownNetworks);
  return (
    <div>
      {shown.map((network) => (
        <div key={network} className={styles.mono}>
          {network}
        </div>
      ))}
      {more > 0 && (
        <Anchor
          component="button"
          type="button"
          size="xs"
          aria-expanded={all}
          aria-label={all ? `Show fewer networks of ${name}` : `Show all networks of ${name}`}
          onClick={() => setAll(!all)}
        >
          {all ? 'Show fewer' : `and ${more} more`}
        </Anchor>
      )}
      <Text size="xs" c="dimmed">
        {extentWords(upstream)}, set <Age time={at} />
      </Text>
    </div>
  );
}

function Unnamed({ of: { unnamed_requests: requests, last_unnamed_at: last } }: { readonly of: Upstream }) {
  if (requests === null || requests === 0) return null;
  return (
    <Text size="xs" c="dimmed">
      {counted(requests, 'request')} named no client and {requests === 1 ? 'was' : 'were'} not checked
      {last !== null && (
        <>
          ; last <Age time={last} />
        </>
      )}
    </Text>
  );
}

function Inside({ of: { blocked_inside: inside, blocked_inside_total: total } }: { readonly of: Upstream }) {
  if (total === 0) return null;
  return (
    <Text size="xs" c="dimmed" component="div">
      {insideWords(total)} {total === 1 ? 'does' : 'do'} not deny what it sends:{' '}
      <EntryLinks entries={inside} total={total} />
    </Text>
  );
}

interface EntryLinksProps {
  readonly entries: readonly string[];
  readonly total: number;
}

export function EntryLinks({ entries, total }: EntryLinksProps) {
  const shown = entries.slice(0, shownInside);
  return (
    <>
      {shown.map((entry, at) => (
        <span key={entry}>
          {at > 0 && ', '}
          <Anchor
            size="xs"
            className={styles.mono}
            renderRoot={(props) => <Link to="/blocked" search={{ q: entry }} {...props} />}
          >
            {entry}
          </Anchor>
        </span>
      ))}
      {total > shown.length && ` and ${count(total - shown.length)} more`}
    </>
  );
}
