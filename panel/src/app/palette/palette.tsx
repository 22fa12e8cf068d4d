import '@mantine/spotlight/styles.css';
import { Text } from '@mantine/core';
import { createSpotlight, Spotlight } from '@mantine/spotlight';
import { useEffect, useState } from 'react';
import { useCheck } from '../../api/check.ts';
import { EntryFacts } from '../../pages/check/entry-facts.tsx';
import { enforcedWords, insideWords, verdicts } from '../../pages/check/verdict-words.ts';
import { SearchIcon } from '../../parts/icons.tsx';
import { problemText } from '../../parts/problem-alert.tsx';
import { StateMark, type Tone } from '../../parts/state-mark.tsx';
import { useBackCloses } from '../../parts/use-back-closes.ts';
import { useFocusReturn } from '../../parts/use-focus-return.ts';
import type { AddressAction } from './address-commands.ts';
import { addressIn, grouped, matching } from './commands.ts';
import classes from './palette.module.css';
import { useAddressCommands, useCommands } from './use-commands.ts';

const [store, spotlight] = createSpotlight();
const mostOfGroup = 8;

interface PaletteProps {
  readonly onClose: () => void;
  readonly onAction: (action: AddressAction) => void;
}

/** Pages, saved views, sites and actions; for an address also the answer whether it is blocked. */
export default function Palette({ onClose, onAction }: PaletteProps) {
  const [text, setText] = useState('');
  const commands = useCommands();
  const ip = addressIn(text);
  const addressCommands = useAddressCommands(text, onAction);
  useFocusReturn();
  useBackCloses(onClose);
  useEffect(() => {
    spotlight.open();
    return spotlight.close;
  }, []);
  const shown = grouped([...addressCommands, ...matching(commands, text)], mostOfGroup);
  return (
    <Spotlight.Root
      store={store}
      classNames={{ action: classes.action ?? '', actionDescription: classes.description ?? '' }}
      query={text}
      onQueryChange={setText}
      onSpotlightClose={onClose}
      shortcut={null}
      scrollable
      maxHeight="min(440px, 60dvh)"
      yOffset="10dvh"
      transitionProps={{ duration: 0 }}
      overlayProps={{ backgroundOpacity: 0.4 }}
      attributes={{ content: { 'aria-label': 'Search or run a command' } }}
    >
      <Spotlight.Search
        placeholder="Page, site, address or network"
        aria-label="Search or run a command"
        leftSection={<SearchIcon size={18} />}
      />
      {ip !== null && <Answer ip={ip} />}
      <Spotlight.ActionsList>
        {[...shown].map(([group, some]) => (
          <Spotlight.ActionsGroup key={group} label={group}>
            {some.map(({ id, label, about, run }) => (
              <Spotlight.Action
                key={id}
                label={label}
                {...(about === undefined ? {} : { description: about })}
                onClick={run}
              />
            ))}
          </Spotlight.ActionsGroup>
        ))}
        {shown.size === 0 && (
          <Spotlight.Empty>Nothing found. Type a page, a site or a complete address.</Spotlight.Empty>
        )}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  );
}

const tones: Readonly<Record<string, Tone>> = { blocked: 'good', trusted: 'good', allowed: 'unknown', partly: 'warn' };

/** Whether the address is blocked, and why. */
function Answer({ ip }: { readonly ip: string }) {
  const { data, error } = useCheck(ip);
  return (
    <Text component="div" size="sm" px="md" py="sm" role="status">
      {error !== null && data === undefined && `Could not check ${ip}: ${problemText(error)}`}
      {data !== undefined && (
        <>
          <StateMark
            tone={data.verdict === 'partly' || data.enforced !== false ? (tones[data.verdict] ?? 'unknown') : 'bad'}
          >
            {ip} {verdicts[data.verdict]}
            {data.by !== null && data.by !== ip && ` by ${data.by}`}.
          </StateMark>{' '}
          <Text span size="sm" c="dimmed">
            {insideWords(data) ?? enforcedWords(data)?.words}
          </Text>{' '}
          <EntryFacts answer={data} />
        </>
      )}
      {data === undefined && error === null && `Checking ${ip}…`}
    </Text>
  );
}
