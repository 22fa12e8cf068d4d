import type { CheckAnswer } from '../../api/types.ts';
import { End } from '../../parts/age.tsx';
import { UserText } from '../../parts/user-text.tsx';

interface EntryFactsProps {
  readonly answer: Pick<CheckAnswer, 'verdict' | 'by' | 'reason' | 'expires_at'>;
}

/** The expiry and the reason of the entry that decides. */
export function EntryFacts({ answer: { verdict, by, reason, expires_at: ends } }: EntryFactsProps) {
  if (by === null) return null;
  return (
    <>
      {ends === null ? (
        'Permanent.'
      ) : (
        <>
          Expires <End time={ends} />.
        </>
      )}
      {reason !== null && (
        <>
          {' '}
          {verdict === 'trusted' ? 'Note' : 'Reason'}: <UserText text={reason} />
        </>
      )}
    </>
  );
}
