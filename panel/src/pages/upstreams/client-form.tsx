import { Button, List, Stack, Text, Textarea, TextInput, Title } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { ApiProblem } from '../../../../src/client/client.ts';
import { parseIp } from '../../../../src/domain/ip.ts';
import type { ClientAddressAnswer } from '../../api/types.ts';
import { useClientAddress } from '../../api/upstreams.ts';
import { ProblemAlert, sentence } from '../../parts/problem-alert.tsx';
import { StateMark } from '../../parts/state-mark.tsx';
import styles from '../../parts/styles.module.css';
import { endWords, readHeaders, stepWords, verdictWords } from './client-words.ts';

/** Which address HAProxy checks for a request. */
export function ClientForm() {
  const explain = useClientAddress();
  const [peer, setPeer] = useState('');
  const [text, setText] = useState('');
  const parsed = parseIp(peer.trim());
  const read = readHeaders(text);
  const rejected = peerFault(explain.error);
  const peerError = peer.trim() === '' || parsed.ok ? rejected : sentence(parsed.why, peer.trim());
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (parsed.ok && read.ok) explain.mutate({ peer: peer.trim(), headers: read.headers });
  };
  return (
    <section className={styles.card} aria-labelledby="client-address">
      <form onSubmit={submit}>
        <Stack gap="sm">
          <div>
            <Title order={2} size="h4" id="client-address">
              Which address does HAProxy check?
            </Title>
            <Text size="sm" c="dimmed">
              Paste the headers of a request to see which address HAProxy checks, and whether it is blocked. Nothing is
              changed.
            </Text>
          </div>
          <TextInput
            label="Address that connects"
            description="With PROXY protocol: the address that it names."
            placeholder="10.0.3.7"
            className={styles.monoInput}
            value={peer}
            onChange={(event) => {
              explain.reset();
              setPeer(event.currentTarget.value);
            }}
            error={peerError}
            inputWrapperOrder={['label', 'description', 'input', 'error']}
            autoComplete="off"
            spellCheck={false}
          />
          <Textarea
            label="Headers"
            placeholder="X-Forwarded-For: 198.51.100.1, 203.0.113.7"
            className={styles.monoInput}
            value={text}
            onChange={(event) => {
              explain.reset();
              setText(event.currentTarget.value);
            }}
            error={read.ok ? null : read.why}
            autosize
            minRows={2}
            maxRows={10}
            autoComplete="off"
            spellCheck={false}
          />
          <Button
            type="submit"
            variant="default"
            w="fit-content"
            loading={explain.isPending}
            disabled={!parsed.ok || !read.ok}
          >
            Show checked address
          </Button>
          {explain.error !== null && rejected === null && (
            <ProblemAlert title="Could not find the checked address" error={explain.error} />
          )}
          {explain.data !== undefined && <Answer answer={explain.data} sent={read.ok ? read.headers.length : 0} />}
        </Stack>
      </form>
    </section>
  );
}

function Answer({ answer, sent }: { readonly answer: ClientAddressAnswer; readonly sent: number }) {
  const { tone, words } = verdictWords(answer);
  const end = endWords(answer, sent);
  return (
    <Stack gap="xs" role="status" aria-label="Checked address">
      <List type="ordered" size="sm">
        {answer.steps.map((step) => (
          <List.Item key={`${step.header} ${step.address}`}>{stepWords(step)}</List.Item>
        ))}
      </List>
      {end !== null && <Text size="sm">{end}</Text>}
      {answer.upstreams_reason !== null && (
        <StateMark tone={answer.upstreams_in_force === false ? 'bad' : 'unknown'}>
          {`${answer.upstreams_in_force === false ? 'Upstreams are not in force everywhere' : 'Not known whether upstreams are in force'}: ${answer.upstreams_reason}.`}
        </StateMark>
      )}
      <StateMark tone={tone} fw={600}>
        {words}
      </StateMark>
    </Stack>
  );
}

function peerFault(error: unknown): string | null {
  if (!(error instanceof ApiProblem)) return null;
  const fault = error.problem.errors?.find(({ name }) => name === 'peer');
  return fault === undefined ? null : sentence(fault.description);
}
