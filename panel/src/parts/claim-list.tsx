import { Text } from '@mantine/core';
import type { Claim } from '../api/types.ts';
import { End } from './age.tsx';
import classes from './claim-list.module.css';
import { useSourceColours } from './source-colours.ts';
import { SourceName } from './source-name.tsx';
import { kindWords } from './source-words.ts';
import { UserText } from './user-text.tsx';

interface ClaimListProps {
  readonly label: string;
  readonly claims: readonly Claim[];
}

/** Each with its source, reason, author and end. */
export function ClaimList({ label, claims }: ClaimListProps) {
  const colourOf = useSourceColours();
  return (
    <ul className={classes.list} aria-label={label}>
      {claims.map(({ source, kind, reason, blocked_by: by, expires_at: end }) => (
        <li key={source} className={classes.claim}>
          <span className={classes.head}>
            <b>
              <SourceName name={source} colourOf={colourOf} />
            </b>
            {kind !== 'manual' && (
              <Text span size="xs" c="dimmed">
                {kindWords[kind]}
              </Text>
            )}
            <Text span size="sm" className={classes.end}>
              {end === null ? (
                'Permanent'
              ) : (
                <>
                  Ends <End time={end} />
                </>
              )}
            </Text>
          </span>
          {(reason !== null || by !== null) && (
            <Text span size="sm" c="dimmed" className={classes.words}>
              {reason !== null && <UserText text={reason} />}
              {reason !== null && by !== null && ' · '}
              {by !== null && (
                <>
                  by <UserText text={by} />
                </>
              )}
            </Text>
          )}
        </li>
      ))}
    </ul>
  );
}
