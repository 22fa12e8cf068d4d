import { Anchor, Text } from '@mantine/core';
import { useInViewport } from '@mantine/hooks';
import { useId, useState } from 'react';
import { counted } from '../../../../src/domain/counted.ts';
import { useSiteTls } from '../../api/site-tls.ts';
import { useServerStates } from '../../api/sites.ts';
import type { Server, ServerState, Site, SiteTls, SiteTraffic } from '../../api/types.ts';
import { DownIcon } from '../../parts/icons.tsx';
import table from '../../parts/list-table.module.css';
import { problemText } from '../../parts/problem-alert.tsx';
import { EditButton, LockButton, RemoveButton, RowButtons } from '../../parts/row-buttons.tsx';
import { StateMark } from '../../parts/state-mark.tsx';
import styles from '../../parts/styles.module.css';
import { useAllowed } from '../../session/session.ts';
import { checkWords, optionWords, siteWords, statusWords } from './server-words.ts';
import classes from './site-card.module.css';
import { SiteLock } from './tls/site-lock.tsx';
import { TlsDialog } from './tls/tls-dialog.tsx';
import { tlsWords } from './tls/tls-words.ts';
import { TrafficFigures } from './traffic-figures.tsx';

interface SiteCardProps {
  readonly site: Site;
  /** Undefined: not loaded, or not counted. */
  readonly traffic: SiteTraffic | undefined;
  /** All of the time of `traffic` was. */
  readonly watched: boolean;
  readonly onEdit: () => void;
  readonly onRemove: () => void;
}

/** The servers' states are queried only while the card is visible. */
export function SiteCard({ site, traffic, watched, onEdit, onRemove }: SiteCardProps) {
  const { ref, inViewport } = useInViewport();
  const may = useAllowed('admin');
  const { domain, servers, names, canonical, enabled, redirect } = site;
  const states = useServerStates(domain, inViewport && enabled && redirect === null);
  // After a failed query, the previous states are no longer shown.
  const current = states.error === null ? states.data?.items : undefined;
  const summary = siteWords(current);
  const tls = useSiteTls(domain, inViewport);
  const serversId = useId();
  const [unfolded, setUnfolded] = useState<boolean | null>(null);
  // Where one needs attention they are shown.
  const shown = unfolded ?? (summary.tone === 'bad' || summary.tone === 'warn');
  const [editingTls, setEditingTls] = useState<SiteTls | null>(null);
  return (
    <section className={styles.card} ref={ref} aria-label={domain} data-row>
      <div className={classes.head}>
        <Text component="h2" fw={650} size="lg" className={styles.wrap}>
          {domain}
        </Text>
        <div className={classes.states}>
          {enabled ? (
            redirect === null && <StateMark tone={summary.tone}>{summary.words}</StateMark>
          ) : (
            <StateMark tone="warn">Disabled: visitors get 404</StateMark>
          )}
          {enabled && <SiteLock domain={domain} visible={inViewport} enabled={tls?.tls_enabled} />}
        </div>
        {may && (
          <RowButtons>
            {tls?.tls_enabled && <LockButton label={`TLS settings of ${domain}`} onClick={() => setEditingTls(tls)} />}
            <EditButton label={`Edit ${domain}`} onClick={onEdit} />
            <RemoveButton label={`Remove ${domain}`} onClick={onRemove} />
          </RowButtons>
        )}
      </div>
      {states.error !== null && (
        <Text size="sm" role="alert" className={styles.tone} data-tone="bad">
          Could not load the server states: {problemText(states.error)}{' '}
          <Anchor component="button" type="button" size="sm" onClick={() => void states.refetch()}>
            Try again
          </Anchor>
        </Text>
      )}
      {names.length > 0 && (
        <Text size="sm" className={styles.wrap}>
          Also {names.join(', ')}.{canonical !== null && ` Other names are redirected to ${canonical}.`}
        </Text>
      )}
      {redirect !== null && (
        <Text size="sm" className={styles.wrap}>
          Redirects to {redirect.to} ({redirect.status}
          {redirect.keep_path && ', path appended'})
        </Text>
      )}
      {tls !== undefined && <TlsLine tls={tls} />}
      {traffic !== undefined && <TrafficFigures traffic={traffic} complete={watched} />}
      {editingTls !== null && <TlsDialog tls={editingTls} onClose={() => setEditingTls(null)} />}
      {servers.length > 0 && (
        <button
          type="button"
          className={classes.fold}
          aria-expanded={shown}
          aria-controls={serversId}
          onClick={() => setUnfolded(!shown)}
        >
          <DownIcon size={16} />
          {counted(servers.length, 'server')}
        </button>
      )}
      {servers.length > 0 && shown && (
        <table id={serversId} className={`${table.rows} ${table.inLine}`} aria-label={`Servers of ${domain}`}>
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
                state={current?.[index]}
                known={current !== undefined}
              />
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

/** Nothing if the site wants nothing of https. */
function TlsLine({ tls }: { readonly tls: SiteTls }) {
  const state = tlsWords(tls);
  return state === null ? null : <StateMark tone={state.tone}>{state.words}</StateMark>;
}

interface ServerRowProps {
  readonly server: Server;
  readonly state: ServerState | undefined;
  readonly known: boolean;
}

function ServerRow({ server, state, known }: ServerRowProps) {
  // States are matched by position; after a change of the site they may be of another server.
  const mine = state?.address === server.address && state.port === server.port ? state : undefined;
  const { tone, words } = known && mine !== undefined ? statusWords(mine.status) : notChecked;
  const resolved = mine?.resolved_address ?? null;
  const other = resolved !== null && resolved !== endpoint(server) ? resolved : null;
  return (
    <tr>
      <td data-label="Server" className={styles.mono}>
        {endpoint(server)}
        {other !== null && (
          <Text span size="xs" c="dimmed">
            {' '}
            resolved to {other}
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

const notChecked = { tone: 'unknown', words: 'Not checked yet' } as const;

function endpoint({ address, port }: Pick<Server, 'address' | 'port'>): string {
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}
