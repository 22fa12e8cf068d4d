import { Anchor, Button, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { parseIp } from '../../../../src/domain/ip.ts';
import { useExistingEntry } from '../../api/blocked-ips.ts';
import { useCheck } from '../../api/check.ts';
import { useTrusted } from '../../api/trusted-ips.ts';
import type { BlockedIp, CheckAnswer } from '../../api/types.ts';
import { addressKind } from '../../parts/address-kind.ts';
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
import { useAllowed, useSessionState } from '../../session/session.ts';
import { BlockDialog } from '../blocked/block/block-dialog.tsx';
import { useUnblock } from '../blocked/unblock/use-unblock.tsx';
import { TrustDialog } from '../trusted/trust-dialog.tsx';
import { EntryFacts } from './entry-facts.tsx';
import { enforcedWords, insideWords, verdicts } from './verdict-words.ts';

export default function CheckPage() {
  const [text, setText] = useUrlText('ip');
  const [dialog, setDialog] = useState<'block' | 'trust' | null>(null);
  const trusted = useTrusted().data?.items ?? [];
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
        <Answer key={ip} answer={check.data} onBlock={() => setDialog('block')} onTrust={() => setDialog('trust')} />
      )}
      {dialog === 'block' && ip !== null && <BlockDialog entry={null} address={ip} onClose={() => setDialog(null)} />}
      {dialog === 'trust' && ip !== null && (
        <TrustDialog entry={null} address={ip} trusted={trusted} onClose={() => setDialog(null)} />
      )}
    </PageFrame>
  );
}

interface AnswerProps {
  readonly answer: CheckAnswer;
  readonly onBlock: () => void;
  readonly onTrust: () => void;
}

function Answer({ answer, onBlock, onTrust }: AnswerProps) {
  const may = useAllowed('block');
  const admin = useAllowed('admin');
  const { ip_address: ip, verdict, by, claims, workers } = answer;
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
            {by === ip ? 'Entry' : 'Covered by the entry'} <EntryLink verdict={verdict} by={by} />.{' '}
            <EntryFacts answer={answer} />
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
        {may && <Actions answer={answer} own={own} onBlock={onBlock} onTrust={admin ? onTrust : null} />}
      </Stack>
    </section>
  );
}

/** The page that has the entry. */
function EntryLink({ verdict, by }: { readonly verdict: CheckAnswer['verdict']; readonly by: string }) {
  const target =
    verdict === 'trusted'
      ? { to: '/trusted' as const, search: { q: by } }
      : { to: '/blocked' as const, search: { entry: by } };
  return (
    <Anchor inherit fw={600} className={styles.mono} renderRoot={(props) => <Link {...target} {...props} />}>
      {by}
    </Anchor>
  );
}

interface ActionsProps {
  readonly answer: CheckAnswer;
  readonly own: BlockedIp | null;
  readonly onBlock: () => void;
  /** Null: the key may not. */
  readonly onTrust: (() => void) | null;
}

function Actions({ answer, own, onBlock, onTrust }: ActionsProps) {
  const { ip_address: ip, verdict, by, reason, expires_at, claims } = answer;
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
        <Button variant="light" onClick={onBlock}>
          Block {addressKind(ip)}
        </Button>
      )}
      {blocked !== null && (
        <Button variant="default" loading={busy} onClick={() => void unblock(blocked)}>
          {blocked === ip ? `Unblock ${addressKind(ip)}` : `Unblock ${blocked}`}
        </Button>
      )}
      {onTrust !== null && verdict !== 'trusted' && (
        <Button variant="default" onClick={onTrust}>
          Trust {addressKind(ip)}
        </Button>
      )}
      {verdict === 'blocked' && blocked !== ip && (
        <Text size="sm" c="dimmed">
          An unblock allows all of {blocked}. To allow only this {addressKind(ip)},{' '}
          {onTrust === null ? 'an administrator can trust it' : 'trust it'}.
        </Text>
      )}
      {dialog}
    </Group>
  );
}
