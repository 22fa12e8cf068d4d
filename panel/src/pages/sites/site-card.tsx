import { Anchor, Group, Text } from '@mantine/core';
import { useInViewport } from '@mantine/hooks';
import { useServerStates } from '../../api/sites.ts';
import type { Server, ServerState, Site } from '../../api/types.ts';
import table from '../../parts/list-table.module.css';
import { problemText } from '../../parts/problem-alert.tsx';
import { EditButton, RemoveButton, RowButtons } from '../../parts/row-buttons.tsx';
import { StateMark } from '../../parts/state-mark.tsx';
import styles from '../../parts/styles.module.css';
import { useMay } from '../../session/session.ts';
import { optionWords } from './option-words.ts';
import { checkWords, siteWords, statusWords } from './server-words.ts';
import classes from './site-card.module.css';

export interface SiteCardProps {
  readonly site: Site;
  readonly onEdit: () => void;
  readonly onRemove: () => void;
}

/** The proxy is asked about a site's servers only while the card is in sight. */
export function SiteCard({ site, onEdit, onRemove }: SiteCardProps) {
  const { ref, inViewport } = useInViewport();
  const may = useMay('admin');
  const { domain, servers } = site;
  const states = useServerStates(domain, inViewport);
  // A failed look makes what was seen before not true any more.
  const seen = states.error === null ? states.data?.items : undefined;
  const summary = siteWords(seen);
  return (
    <section className={styles.card} ref={ref} aria-label={domain} data-row>
      <div className={classes.head}>
        <Group gap="md">
          <Text component="h2" fw={650} size="lg" className={styles.wrap}>
            {domain}
          </Text>
          <StateMark tone={summary.tone}>{summary.words}</StateMark>
        </Group>
        {may && (
          <RowButtons>
            <EditButton label={`Change ${domain}`} onClick={onEdit} />
            <RemoveButton label={`Remove ${domain}`} onClick={onRemove} />
          </RowButtons>
        )}
      </div>
      {states.error !== null && (
        <Text size="sm" role="alert" className={styles.tone} data-tone="bad">
          Its servers could not be asked about: {problemText(states.error)}{' '}
          <Anchor component="button" type="button" size="sm" onClick={() => void states.refetch()}>
            Try again
          </Anchor>
        </Text>
      )}
      <table className={`${table.rows} ${table.inLine}`} aria-label={`Servers of ${domain}`}>
        <thead>
          <tr>
            <th scope="col">Server</th>
            <th scope="col">State</th>
            <th scope="col">Last check</th>
            <th scope="col">Options</th>
          </tr>
        </thead>
        <tbody>
          {servers.map((server, index) => (
            <ServerRow
              key={`${server.address} ${server.port}`}
              server={server}
              state={seen?.[index]}
              asked={seen !== undefined}
            />
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface ServerRowProps {
  readonly server: Server;
  readonly state: ServerState | undefined;
  readonly asked: boolean;
}

function ServerRow({ server, state, asked }: ServerRowProps) {
  // The states are in the order of the site that the service had then; another order is not this one's.
  const mine = state?.address === server.address && state.port === server.port ? state : undefined;
  const { tone, words } = asked && mine !== undefined ? statusWords(mine.status) : notAsked;
  const resolved = mine?.resolved_address ?? null;
  const other = resolved !== null && resolved !== endpoint(server) ? resolved : null;
  return (
    <tr>
      <td data-label="Server" className={styles.mono}>
        {endpoint(server)}
        {other !== null && (
          <Text span size="xs" c="dimmed">
            {' '}
            now {other}
          </Text>
        )}
      </td>
      <td data-label="State">
        <StateMark tone={tone}>{words}</StateMark>
      </td>
      <td data-label="Last check" title={mine?.check ?? undefined}>
        {checkWords(mine?.check ?? null) ?? ''}
      </td>
      <td data-label="Options">{optionWords(server.options).join(', ')}</td>
    </tr>
  );
}

const notAsked = { tone: 'unknown', words: 'Not asked yet' } as const;

function endpoint({ address, port }: Pick<Server, 'address' | 'port'>): string {
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}
