import { Anchor, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { parseIp } from '../../../../../src/domain/ip.ts';
import { useInside } from '../../../api/blocked-ips.ts';
import { count } from '../../../parts/figures.ts';
import { ReadProblem } from '../../../parts/read.tsx';
import styles from '../../../parts/styles.module.css';
import classes from './entry-panel.module.css';
import { Section } from './section.tsx';

interface CoveringProps {
  readonly ip: string;
  readonly coveredBy: readonly string[];
}

/** Blocked networks around the entry, and entries inside it. */
export function Covering({ ip, coveredBy }: CoveringProps) {
  const parse = parseIp(ip);
  const isNetwork = parse.ok && parse.entry.text.includes('/');
  const inside = useInside(ip, isNetwork);
  return (
    <Section title="Around it">
      <dl className={classes.facts}>
        <dt>Covered by</dt>
        <dd>
          {coveredBy.length === 0 ? (
            <Text span inherit c="dimmed">
              No wider entry
            </Text>
          ) : (
            coveredBy.map((network, at) => (
              <span key={network}>
                {at > 0 && ', '}
                <EntryLink ip={network} />
              </span>
            ))
          )}
        </dd>
        {isNetwork && (
          <>
            <dt>Covers</dt>
            <dd>
              {inside.data === undefined ? (
                '–'
              ) : inside.data.total - 1 - coveredBy.length <= 0 ? (
                <Text span inherit c="dimmed">
                  No other entry
                </Text>
              ) : (
                <Anchor inherit renderRoot={(props) => <Link to="/blocked" search={{ q: ip }} {...props} />}>
                  {count(inside.data.total - 1 - coveredBy.length)} other{' '}
                  {inside.data.total - 1 - coveredBy.length === 1 ? 'entry' : 'entries'}
                </Anchor>
              )}
            </dd>
          </>
        )}
      </dl>
      {isNetwork && <ReadProblem of={inside} failed="Could not count the entries inside" />}
    </Section>
  );
}

/** Opens its story; Back returns to this one. */
function EntryLink({ ip }: { readonly ip: string }) {
  return (
    <Anchor
      inherit
      className={styles.mono ?? ''}
      renderRoot={(props) => (
        <Link
          to="."
          search={(before: Readonly<Record<string, string | undefined>>) => ({ ...before, entry: ip })}
          {...props}
        />
      )}
    >
      {ip}
    </Anchor>
  );
}
