import { Button, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { useRef, useState } from 'react';
import { parseIp } from '../../../../src/domain/ip.ts';
import { unblock, useBlockedChange } from '../../api/blocked-ips.ts';
import { useCheck } from '../../api/check.ts';
import type { CheckAnswer } from '../../api/types.ts';
import { Age } from '../../parts/age.tsx';
import { SearchIcon } from '../../parts/icons.tsx';
import { Loading } from '../../parts/loading.tsx';
import { PageFrame } from '../../parts/page-frame.tsx';
import { changeTitle, ProblemAlert, sentence } from '../../parts/problem-alert.tsx';
import { useSlashKey } from '../../parts/slash-key.ts';
import { StateMark, type Tone } from '../../parts/state-mark.tsx';
import { toast } from '../../parts/toasts.tsx';
import { useMay, useSessionState } from '../../session/session.ts';
import { BlockDialog } from '../blocked/block/block-dialog.tsx';
import { unblockWords } from '../blocked/removal-words.ts';

export default function CheckPage() {
  const [text, setText] = useState('');
  const [dialog, setDialog] = useState(false);
  const { info } = useSessionState();
  const field = useRef<HTMLInputElement>(null);
  useSlashKey(field);
  const trimmed = text.trim();
  const parse = parseIp(trimmed);
  const ip = parse.ok ? parse.entry.text : null;
  const check = useCheck(ip);
  // Half an address is no mistake while it is being typed.
  const wrong = trimmed !== '' && !parse.ok && /[^0-9a-fA-F:.]/.test(trimmed.replace(/\/\d{0,3}$/, ''));
  return (
    <PageFrame title="Check an address" about="What happens to a client: from the database and from the running proxy.">
      <Group align="flex-start" gap="sm">
        <TextInput
          ref={field}
          className="grow mono-input"
          size="md"
          aria-label="Address"
          placeholder="192.0.2.1 or 2001:db8::1 ( / )"
          leftSection={<SearchIcon size={18} />}
          value={text}
          autoFocus
          autoComplete="off"
          spellCheck={false}
          error={wrong && !parse.ok ? sentence(parse.why) : null}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        {info?.client_address != null && (
          <Button size="md" variant="default" onClick={() => setText(info.client_address ?? '')}>
            From where I am
          </Button>
        )}
      </Group>
      {trimmed !== '' && !parse.ok && !wrong && (
        <Text size="sm" c="dimmed" role="status">
          {sentence(parse.why)}
        </Text>
      )}
      {ip !== null && check.isPending && <Loading what="Asking the database and each worker" />}
      {ip !== null && check.isError && (
        <ProblemAlert title="It could not be checked" error={check.error} onRetry={() => void check.refetch()} />
      )}
      {ip !== null && check.data !== undefined && !check.isError && (
        <Answer key={ip} answer={check.data} onBlock={() => setDialog(true)} />
      )}
      {dialog && ip !== null && <BlockDialog entry={null} address={ip} onClose={() => setDialog(false)} />}
    </PageFrame>
  );
}

const verdicts: Readonly<Record<CheckAnswer['verdict'], string>> = {
  blocked: 'is blocked',
  trusted: 'is trusted, and never turned away',
  allowed: 'is let in',
  partly: 'is blocked in part',
};

function Answer({ answer, onBlock }: { readonly answer: CheckAnswer; readonly onBlock: () => void }) {
  const may = useMay('block');
  const remove = useBlockedChange(unblock);
  const { ip_address: ip, verdict, by, reason, expires_at: ends, enforced, workers } = answer;
  const own = by === ip;
  return (
    <section className="card" aria-label="The verdict" role="status">
      <Stack gap="sm">
        <Title order={2} size="h3">
          <span className="mono">{ip}</span> {verdicts[verdict]}
        </Title>
        {by !== null && (
          <Text size="sm">
            By the entry <b className="mono">{by}</b>
            {own ? '' : ', which covers it'}
            {reason !== null && <>: {reason}</>}
            {verdict === 'blocked' && <>, {ends === null ? 'for good' : <Age time={ends} />}</>}.
          </Text>
        )}
        <StateMark {...enforcedWords(answer)} />
        {enforced !== true && workers.length > 0 && (
          <Stack gap={4}>
            {workers.map(({ pid, verdict: theirs }) => (
              <StateMark key={pid} tone={theirs === verdict ? 'good' : 'bad'}>
                Worker {pid}: {theirs}
              </StateMark>
            ))}
          </Stack>
        )}
        {may && (
          <Group>
            {verdict !== 'blocked' && (
              <Button variant="light" color="red" onClick={onBlock}>
                Block it
              </Button>
            )}
            {verdict === 'blocked' && own && (
              <Button
                variant="default"
                loading={remove.isPending}
                onClick={() =>
                  remove.mutate(ip, {
                    onSuccess: (done) => toast(unblockWords(done)),
                  })
                }
              >
                Let it in again
              </Button>
            )}
          </Group>
        )}
        {remove.isError && (
          <ProblemAlert title={changeTitle(remove.error, 'It could not be removed')} error={remove.error} />
        )}
      </Stack>
    </section>
  );
}

function enforcedWords({ enforced, workers }: CheckAnswer): { readonly tone: Tone; readonly children: string } {
  if (enforced === null)
    return { tone: 'unknown', children: 'Not known of the running proxy: no worker could be asked.' };
  if (!enforced) return { tone: 'bad', children: 'The running proxy says otherwise.' };
  const all = workers.length === 1 ? 'The worker' : `All ${workers.length} workers`;
  return { tone: 'good', children: `${all} of the running proxy ${workers.length === 1 ? 'says' : 'say'} the same.` };
}
