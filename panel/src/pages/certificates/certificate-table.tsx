import { ActionIcon, Anchor, List, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { counted } from '../../../../src/domain/counted.ts';
import { useVerifyCertificate } from '../../api/certificates.ts';
import type { Certificate } from '../../api/types.ts';
import { End, useServiceNow } from '../../parts/age.tsx';
import { CheckIcon } from '../../parts/icons.tsx';
import { ListTable } from '../../parts/list-table.tsx';
import { sentence } from '../../parts/problem-alert.tsx';
import { EditButton, RemoveButton, RowButtons } from '../../parts/row-buttons.tsx';
import { StateMark } from '../../parts/state-mark.tsx';
import styles from '../../parts/styles.module.css';
import { momentText } from '../../parts/times.ts';
import { toast, toastProblem } from '../../parts/toasts.tsx';
import { useAllowed } from '../../session/session.ts';
import { keyWords, noteWords, resultWords, servedWords, workerWords } from './certificate-words.ts';
import classes from './certificates.module.css';

const shownNames = 3;
const shownSites = 3;

interface CertificateTableProps {
  readonly certificates: readonly Certificate[];
  readonly stale: boolean;
  readonly onReplace: (certificate: Certificate) => void;
  readonly onRemove: (certificate: Certificate) => void;
}

export function CertificateTable({ certificates, stale, onReplace, onRemove }: CertificateTableProps) {
  const may = useAllowed('admin');
  const now = useServiceNow(5_000);
  return (
    <ListTable
      label="Certificates"
      columns={['Names', 'Served until', 'State', 'Sites']}
      buttons={may ? 'Actions' : null}
    >
      {certificates.map((certificate) => {
        const { id, served_until: served, not_after: end } = certificate;
        const { tone, words } = servedWords(certificate, now);
        return (
          <tr key={id} data-row>
            <td data-label="Names" data-long data-roomy>
              <Names of={certificate} />
            </td>
            <td data-label="Served until" data-roomy>
              <div>
                {served === null ? (
                  <span className={styles.none}>Not known</span>
                ) : (
                  <>
                    {momentText(served)} (<End time={served} />)
                  </>
                )}
                {served !== end && (
                  <Text size="xs" c="dimmed">
                    This version expires <End time={end} />
                  </Text>
                )}
              </div>
            </td>
            <td data-label="State" data-roomy="wide">
              <div>
                <StateMark tone={stale && tone === 'good' ? 'unknown' : tone}>{words}</StateMark>
                <Workers of={certificate} />
              </div>
            </td>
            <td data-label="Sites" data-roomy>
              <Sites of={certificate} />
            </td>
            {may && (
              <td data-actions>
                <RowButtons>
                  <VerifyButton of={certificate} />
                  <EditButton
                    label={`Replace ${titleOf(certificate)}`}
                    title="Replace"
                    onClick={() => onReplace(certificate)}
                  />
                  <RemoveButton label={`Remove ${titleOf(certificate)}`} onClick={() => onRemove(certificate)} />
                </RowButtons>
              </td>
            )}
          </tr>
        );
      })}
    </ListTable>
  );
}

/** For buttons and dialogs: an id says nothing to a person. */
export function titleOf({ names }: Pick<Certificate, 'names'>): string {
  const [first = '', ...others] = names;
  return others.length === 0 ? first : `${first} and ${others.length} more`;
}

function Names({ of: certificate }: { readonly of: Certificate }) {
  const [all, setAll] = useState(false);
  const { id, names, issuer, self_signed: selfSigned } = certificate;
  const more = names.length - shownNames;
  return (
    <div>
      {(all ? names : names.slice(0, shownNames)).map((name) => (
        <div key={name}>
          <b className={styles.wrap}>{name}</b>
        </div>
      ))}
      {more > 0 && (
        <Anchor
          component="button"
          type="button"
          size="xs"
          aria-expanded={all}
          aria-label={all ? `Show fewer names of ${id}` : `Show all names of ${id}`}
          onClick={() => setAll(!all)}
        >
          {all ? 'Show fewer' : `and ${more} more`}
        </Anchor>
      )}
      <Text size="xs" c="dimmed" className={styles.wrap}>
        {selfSigned ? 'Self-signed' : issuer}, {keyWords(certificate)}
      </Text>
      <Text size="xs" c="dimmed" className={styles.mono}>
        {id}
      </Text>
    </div>
  );
}

function Workers({ of: certificate }: { readonly of: Certificate }) {
  const notes = noteWords(certificate);
  return (
    <List size="xs" listStyleType="none" mt={4} c="dimmed" className={classes.hanging ?? ''}>
      {certificate.workers.map((worker) => (
        <List.Item key={worker.pid}>{workerWords(worker).words}</List.Item>
      ))}
      {notes.map((note) => (
        <List.Item key={note}>{sentence(note)}</List.Item>
      ))}
    </List>
  );
}

function Sites({ of: { sites, sites_total: total } }: { readonly of: Certificate }) {
  if (total === 0) return <span className={styles.none}>None</span>;
  const shown = sites.slice(0, shownSites);
  return (
    <div>
      {shown.map((domain) => (
        <div key={domain}>
          <Anchor size="sm" renderRoot={(props) => <Link to="/sites" search={{ q: domain }} {...props} />}>
            {domain}
          </Anchor>
        </div>
      ))}
      {total > shown.length && (
        <Text size="xs" c="dimmed">
          and {counted(total - shown.length, 'more site')}
        </Text>
      )}
    </div>
  );
}

function VerifyButton({ of: certificate }: { readonly of: Certificate }) {
  const verify = useVerifyCertificate();
  const now = useServiceNow(60_000);
  const title = titleOf(certificate);
  const run = (): void =>
    verify.mutate(certificate.id, {
      onSuccess: (answer) => toast({ title: `${title} verified`, about: certificate.id, ...resultWords(answer, now) }),
      onError: (error) => toastProblem(`Could not verify ${title}`, error),
    });
  return (
    <ActionIcon
      variant="subtle"
      size="lg"
      aria-label={`Verify ${title}`}
      title="Verify"
      loading={verify.isPending}
      onClick={run}
    >
      <CheckIcon />
    </ActionIcon>
  );
}
