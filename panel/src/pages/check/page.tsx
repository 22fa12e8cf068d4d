import { Anchor, Button, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { parseIp } from '../../../../src/domain/ip.ts';
import { useExistingEntry } from '../../api/blocked-ips.ts';
import { useCheck } from '../../api/check.ts';
import type { BlockedIp, CheckAnswer } from '../../api/types.ts';
import { End } from '../../parts/age.tsx';
import { ClaimList } from '../../parts/claim-list.tsx';
import { SearchIcon } from '../../parts/icons.tsx';
import { Loading } from '../../parts/loading.tsx';
import { PageFrame } from '../../parts/page-frame.tsx';
import { ProblemAlert, sentence } from '../../parts/problem-alert.tsx';
import { SlashHint } from '../../parts/search-field.tsx';
import { useSlashKey } from '../../parts/slash-key.ts';
import { StateMark } from '../../parts/state-mark.tsx';
import styles from '../../parts/styles.module.css';
import { useUrlText } from '../../parts/url-state.ts';
import { UserText } from '../../parts/user-text.tsx';
import { useAllowed, useSessionState } from '../../session/session.ts';
import { BlockDialog } from '../blocked/block/block-dialog.tsx';
import { useUnblock } from '../blocked/unblock/use-unblock.tsx';
import { enforcedWords, insideWords, verdicts } from './verdict-words.ts';

export default function CheckPage() {
  const [text, setText] = useUrlText('ip');
  const [dialog, setDialog] = useState(false);
  const { info } = useSessionState();
  const field = useRef<HTMLInputElement>(null);
  useSlashKey(field);
  const trimmed = text.trim();
  const parse = parseIp(trimmed);
  const ip = parse.ok ? parse.entry.text : null;
  const check = useCheck(ip);
  // An incomplete address is not an error while it is typed.
  const wrong = trimmed !== '' && !parse.ok && /[^0-9a-fA-F:.]/.test(trimmed.replace(/\/\d{0,3}$/, ''));
  return (
    <PageFrame title="Check an address" about="See whether an address is blocked, and why.">
      <Group align="flex-start" gap="sm">
        <TextInput
          ref={field}
          className={`${styles.grow} ${styles.monoInput}`}
          size="md"
          aria-label="Address"
          placeholder="192.0.2.1 or 2001:db8::1"
          leftSection={<SearchIcon size={18} />}
          rightSection={text === '' ? <SlashHint /> : null}
          value={text}
          autoFocus
          autoComplete="off"
          spellCheck={false}
          error={wrong && !parse.ok ? sentence(parse.why, trimmed) : null}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        {info?.client_address != null && (
          <Button size="md" variant="default" onClick={() => setText(info.client_address ?? '')}>
            Check my address
          </Button>
        )}
      </Group>
      {trimmed !== '' && !parse.ok && !wrong && (
        <Text size="sm" c="dimmed" role="status">
          {sentence(parse.why, trimmed)}
        </Text>
      )}
      {ip !== null && check.isPending && <Loading what="Checking the database and each worker" />}
      {ip !== null && check.isError && (
        <ProblemAlert title="Could not check the address" error={check.error} onRetry={() => void check.refetch()} />
      )}
      {ip !== null && check.data !== undefined && !check.isError && (
        <Answer key={ip} answer={check.data} onBlock={() => setDialog(true)} />
      )}
      {dialog && ip !== null && <BlockDialog entry={null} address={ip} onClose={() => setDialog(false)} />}
    </PageFrame>
  );
}

function Answer({ answer, onBlock }: { readonly answer: CheckAnswer; readonly onBlock: () => void }) {
  const may = useAllowed('block');
  const { ip_address: ip, verdict, by, reason, expires_at: ends, claims, workers } = answer;
  // A trusted address may have a block, which takes effect when the trust ends.
  const own = useExistingEntry(verdict === 'trusted' ? ip : null).data ?? null;
  const enforced = enforcedWords(answer);
  const inside = insideWords(answer);
  return (
    <section className={styles.card} aria-label="Result" role="status">
      <Stack gap="sm">
        <Title order={2} size="h3">
          <span className={styles.mono}>{ip}</span> {verdicts[verdict]}
        </Title>
        {by !== null && (
          <Text size="sm">
            {by === ip ? 'Entry' : 'Covered by the entry'} <b className={styles.mono}>{by}</b>
            {verdict === 'blocked' && (ends === null ? ', permanent' : ', expires ')}
            {verdict === 'blocked' && ends !== null && <End time={ends} />}
            {verdict === 'trusted' && ends !== null && (
              <>
                , expires <End time={ends} />
              </>
            )}
            .
            {reason !== null && (
              <>
                {' '}
                {verdict === 'trusted' ? 'Note' : 'Reason'}: <UserText text={reason} />
              </>
            )}
          </Text>
        )}
        {claims !== undefined && <ClaimList label="Claims" claims={claims} />}
        {inside !== null && (
          <Text size="sm" component="div">
            <StateMark tone="warn">{inside}</StateMark>{' '}
            <Anchor renderRoot={(props) => <Link to="/blocked" search={{ q: ip }} {...props} />}>
              Show these entries
            </Anchor>
          </Text>
        )}
        {own !== null && <StateMark tone="warn">Also blocked, without effect while it is trusted</StateMark>}
        {enforced !== null && <StateMark tone={enforced.tone}>{enforced.words}</StateMark>}
        {answer.enforced !== true && workers.length > 0 && (
          <Stack gap={4}>
            {workers.map(({ pid, verdict: theirs }) => (
              <StateMark key={pid} tone={theirs === verdict ? 'good' : 'bad'}>
                Worker {pid}: {theirs}
              </StateMark>
            ))}
          </Stack>
        )}
        {may && <Actions answer={answer} own={own} onBlock={onBlock} />}
      </Stack>
    </section>
  );
}

interface ActionsProps {
  readonly answer: CheckAnswer;
  readonly own: BlockedIp | null;
  readonly onBlock: () => void;
}

function Actions({ answer: { ip_address: ip, verdict, by, reason, expires_at, claims }, own, onBlock }: ActionsProps) {
  const { unblock: remove, dialog } = useUnblock();
  const [busy, setBusy] = useState(false);
  const unblock = async (entry: string): Promise<void> => {
    setBusy(true);
    const found = { ip_address: entry, reason, expires_at, blocked_by: null, blocked_at: '' };
    await remove([own ?? { ...found, ...(claims === undefined ? {} : { claims: [...claims] }) }]);
    setBusy(false);
  };
  const blocked = verdict === 'blocked' ? by : (own?.ip_address ?? null);
  return (
    <Group>
      {blocked === null && (
        <Button variant="light" color="red" onClick={onBlock}>
          Block address
        </Button>
      )}
      {blocked !== null && (
        <Button variant="default" loading={busy} onClick={() => void unblock(blocked)}>
          {blocked === ip ? 'Unblock address' : `Unblock ${blocked}`}
        </Button>
      )}
      {verdict === 'blocked' && blocked !== ip && (
        <Text size="sm" c="dimmed">
          This unblocks all of {blocked}. To allow only this address, trust it.
        </Text>
      )}
      {dialog}
    </Group>
  );
}
