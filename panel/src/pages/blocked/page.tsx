import { Button, Checkbox, Group, Menu, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';
import type { BlockedIp } from '../../api/types.ts';
import { spanText, useNow } from '../../parts/age.tsx';
import { counted } from '../../parts/counted.ts';
import { DownloadIcon, PlusIcon, SearchIcon, UploadIcon } from '../../parts/icons.tsx';
import { Loading } from '../../parts/loading.tsx';
import { PageFrame } from '../../parts/page-frame.tsx';
import { ProblemAlert, problemText, sentence } from '../../parts/problem-alert.tsx';
import { useSlashKey } from '../../parts/slash-key.ts';
import styles from '../../parts/styles.module.css';
import { toast } from '../../parts/toasts.tsx';
import { useUrlState, useUrlText } from '../../parts/url-state.ts';
import { useApi, useMay } from '../../session/session.ts';
import { BlockDialog } from './block/block-dialog.tsx';
import classes from './blocked.module.css';
import { EntryPanel } from './entry-panel.tsx';
import { type ExportFormat, exportList } from './export.ts';
import { ImportDialog } from './import/import-dialog.tsx';
import { EntryList } from './list/entry-list.tsx';
import { refreshEvery, useBookState, usePageBook } from './list/use-page-book.ts';
import { useRemoval } from './removal.ts';
import { longestText, type Search, searchFor, searchWords, textSearchFor } from './search.ts';

/** How long nobody types before it is looked for, in milliseconds; a text is a pass through everything. */
const settledMs = { all: 0, address: 120, text: 350 } as const;

type Dialog = { readonly kind: 'block'; readonly entry: BlockedIp | null } | { readonly kind: 'import' };

export default function BlockedPage() {
  const api = useApi();
  const may = useMay('block');
  const [text, typed] = useUrlText('q');
  const [expiringText, setExpiring] = useUrlState('expiring');
  const expiring = expiringText !== '';
  /** `text`: what looks like an address is to be looked for in reasons all the same. */
  const [within, setWithin] = useUrlState('in');
  const [opened, setOpened] = useUrlState('entry');
  const [dialog, setDialog] = useState<Dialog | null>(null);
  const [selected, setSelected] = useState<ReadonlyMap<string, BlockedIp>>(new Map());
  const [exporting, setExporting] = useState(false);
  const meant = (of: string): Search => (within === 'text' ? textSearchFor(of) : searchFor(of));
  const setText = (next: string): void => {
    typed(next);
    if (within !== '') setWithin('');
  };
  const [settled] = useDebouncedValue(text, settledMs[meant(text).kind]);
  const search = meant(settled);
  const q = search.kind === 'address' ? search.q : '';
  const found = search.kind === 'text' ? search.text : '';
  const book = usePageBook({ q, text: found, expiring });
  const state = useBookState(book);
  const remove = useRemoval();
  const field = useRef<HTMLInputElement>(null);
  const leaving = useRef(new AbortController());
  useEffect(() => {
    leaving.current = new AbortController();
    return () => leaving.current.abort();
  }, []);
  useSlashKey(field);

  const select = (entry: BlockedIp, range: readonly BlockedIp[] | null): void =>
    setSelected((before) => {
      const after = new Map(before);
      if (range !== null) for (const one of range) after.set(one.ip_address, one);
      else if (!after.delete(entry.ip_address)) after.set(entry.ip_address, entry);
      return after;
    });
  const removeAll = (entries: readonly BlockedIp[]): void => {
    setSelected(
      (before) => new Map([...before].filter(([ip]) => !entries.some(({ ip_address }) => ip_address === ip))),
    );
    setDialog(null);
    if (opened !== '') setOpened('');
    void remove(entries);
  };
  // Nobody removes what he does not see: another search selects anew.
  // biome-ignore lint/correctness/useExhaustiveDependencies: of the list that is shown alone.
  useEffect(() => setSelected(new Map()), [q, found, expiring]);
  const save = async (format: ExportFormat): Promise<void> => {
    setExporting(true);
    try {
      await exportList(api, { q, text: found, expiring }, format, leaving.current.signal);
    } catch (error) {
      if (leaving.current.signal.aborted) return;
      toast({ title: 'The list was not saved', words: sentence(problemText(error)), tone: 'bad' });
    } finally {
      setExporting(false);
    }
  };

  return (
    <div className={classes.page}>
      <PageFrame
        title="Blocked addresses"
        actions={
          <>
            {may && (
              <Button leftSection={<PlusIcon size={16} />} onClick={() => setDialog({ kind: 'block', entry: null })}>
                Block
              </Button>
            )}
            {may && (
              <Button
                variant="default"
                leftSection={<UploadIcon size={16} />}
                onClick={() => setDialog({ kind: 'import' })}
              >
                Import
              </Button>
            )}
            <Menu position="bottom-end">
              <Menu.Target>
                <Button variant="default" leftSection={<DownloadIcon size={16} />} loading={exporting}>
                  Export
                </Button>
              </Menu.Target>
              <Menu.Dropdown>
                <Menu.Label>
                  {state.total === null ? 'What is shown' : counted(state.total, 'entry', 'entries')}
                  {search.kind === 'all' && !expiring ? '' : ' found'}
                </Menu.Label>
                <Menu.Item onClick={() => void save('txt')}>Addresses, one a line</Menu.Item>
                <Menu.Item onClick={() => void save('csv')}>CSV with reason, source and end</Menu.Item>
                <Menu.Item onClick={() => void save('json')}>JSON</Menu.Item>
              </Menu.Dropdown>
            </Menu>
          </>
        }
      >
        <Group gap="md" align="flex-start">
          <TextInput
            ref={field}
            className={styles.grow}
            aria-label="Search"
            placeholder="Search an address, a network, a reason or a source ( / )"
            description={searchWords(meant(text))}
            inputWrapperOrder={['input', 'description']}
            leftSection={<SearchIcon size={16} />}
            value={text}
            maxLength={longestText}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => setText(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === 'Escape') setText('');
            }}
          />
          <Checkbox
            mt={8}
            label="Only those that end"
            checked={expiring}
            onChange={(event) => setExpiring(event.currentTarget.checked ? 'yes' : '')}
          />
        </Group>
        <Group justify="space-between" mih={30} gap="xs">
          <Count book={state} search={search} />
          {selected.size > 0 && (
            <Group gap="xs">
              <Text size="sm">{selected.size.toLocaleString()} selected</Text>
              <Button size="compact-sm" color="red" variant="light" onClick={() => removeAll([...selected.values()])}>
                Remove
              </Button>
              <Button size="compact-sm" variant="default" onClick={() => setSelected(new Map())}>
                Select none
              </Button>
            </Group>
          )}
        </Group>
      </PageFrame>
      {state.error !== null && (
        <ProblemAlert
          title={state.total === null ? 'The list could not be read' : 'The list could not be refreshed'}
          error={state.error}
          onRetry={() => void book.refresh()}
        />
      )}
      {state.total === null && state.error === null && (
        <Loading what={search.kind === 'text' ? 'Looking through all reasons and sources' : 'Reading the list'} />
      )}
      {state.total === 0 && (
        <NothingFound
          search={search}
          expiring={expiring}
          onSearchText={() => {
            setWithin('text');
            field.current?.focus();
          }}
        />
      )}
      {state.total !== null && state.total > 0 && (
        <EntryList
          book={book}
          selected={new Set(selected.keys())}
          found={found}
          onSelect={may ? select : null}
          onOpen={(entry) => setOpened(entry.ip_address, 'push')}
          onRemove={may ? (entry) => removeAll([entry]) : null}
          onRemoveSelected={may ? () => removeAll([...selected.values()]) : null}
        />
      )}
      {dialog?.kind === 'block' && (
        <BlockDialog
          entry={dialog.entry}
          address={dialog.entry === null && state.total === 0 ? q : ''}
          onClose={() => setDialog(null)}
        />
      )}
      {dialog?.kind === 'import' && <ImportDialog onClose={() => setDialog(null)} />}
      {opened !== '' && dialog === null && (
        <EntryPanel
          key={opened}
          ip={opened}
          onClose={() => setOpened('')}
          onChange={(entry) => {
            setOpened('');
            setDialog({ kind: 'block', entry });
          }}
          onRemove={(entry) => removeAll([entry])}
        />
      )}
    </div>
  );
}

interface NothingFoundProps {
  readonly search: Search;
  readonly expiring: boolean;
  readonly onSearchText: () => void;
}

function NothingFound({ search, expiring, onSearchText }: NothingFoundProps) {
  const among = expiring ? ' among those that end' : '';
  return (
    <div className={styles.card}>
      <Text fw={600} className={styles.wrap}>
        {search.kind === 'all' && (expiring ? 'No entry ends by itself' : 'Nobody is blocked')}
        {search.kind === 'address' && `Nothing is found for ${search.q}${among}`}
        {search.kind === 'text' && `Nothing is found for “${search.text}”${among}`}
      </Text>
      <Text size="sm" c="dimmed">
        {search.kind === 'all' && (expiring ? 'All are blocked for good.' : 'Block an address, or import a list.')}
        {search.kind === 'address' &&
          'No entry is this address, begins like it, or covers it. “Check an address” asks the running proxy too.'}
        {search.kind === 'text' &&
          'No entry has this in its reason or in who blocked it. An address is looked for as soon as there is a digit or a colon, and nothing else than addresses have.'}
      </Text>
      {search.kind === 'address' && (
        <Button mt="sm" size="compact-sm" variant="default" onClick={onSearchText}>
          Look for it in reasons and sources
        </Button>
      )}
    </div>
  );
}

function Count({ book, search }: { readonly book: ReturnType<typeof useBookState>; readonly search: Search }) {
  const now = useNow(2_000);
  if (book.total === null || book.readAt === null) return <span />;
  const age = now - book.readAt;
  const where = { all: 'blocked', address: 'found', text: 'found in reasons and sources' }[search.kind];
  const text = search.kind === 'text' ? search.text : '';
  return (
    <Text size="sm" c="dimmed" className={styles.figure} role="status">
      {book.total.toLocaleString()} {where}
      {age > refreshEvery({ text }) + 5_000 && ` · as of ${spanText(age)} ago`}
    </Text>
  );
}
