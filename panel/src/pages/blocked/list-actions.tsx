import { Button, Menu } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { counted } from '../../../../src/domain/counted.ts';
import type { BlockedQuery } from '../../api/blocked-ips.ts';
import { DownloadIcon, PlusIcon, UploadIcon } from '../../parts/icons.tsx';
import { problemText, sentence } from '../../parts/problem-alert.tsx';
import { toast } from '../../parts/toasts.tsx';
import { useAllowed, useApi } from '../../session/session.ts';
import classes from './blocked.module.css';
import { type ExportFormat, exportList } from './export.ts';
import { isFiltered } from './filters/list-filter.ts';

interface ListActionsProps {
  readonly query: BlockedQuery;
  readonly total: number | null;
  readonly onBlock: () => void;
  readonly onImport: () => void;
}

export function ListActions({ query, total, onBlock, onImport }: ListActionsProps) {
  const allowed = useAllowed('block');
  return (
    <>
      {allowed && (
        <Button leftSection={<PlusIcon size={16} />} onClick={onBlock} visibleFrom="sm">
          Block address
        </Button>
      )}
      {allowed && (
        <Button
          className={classes.float ?? ''}
          size="lg"
          radius="xl"
          onClick={onBlock}
          hiddenFrom="sm"
          aria-label="Block address"
        >
          Block
        </Button>
      )}
      {allowed && (
        <Button variant="default" leftSection={<UploadIcon size={16} />} onClick={onImport}>
          Import list
        </Button>
      )}
      <ExportMenu query={query} total={total} />
    </>
  );
}

function ExportMenu({ query, total }: Pick<ListActionsProps, 'query' | 'total'>) {
  const api = useApi();
  const [exporting, setExporting] = useState(false);
  const unmounted = useRef(new AbortController());
  useEffect(() => {
    unmounted.current = new AbortController();
    return () => unmounted.current.abort();
  }, []);
  const save = async (format: ExportFormat): Promise<void> => {
    const { signal } = unmounted.current;
    setExporting(true);
    try {
      await exportList(api, query, format, signal);
    } catch (error) {
      if (signal.aborted) return;
      toast({ title: 'Could not export the list', words: sentence(problemText(error)), tone: 'bad' });
    } finally {
      setExporting(false);
    }
  };
  const filtered = isFiltered(query);
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" leftSection={<DownloadIcon size={16} />} loading={exporting}>
          Export list
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {total === null ? 'Shown entries' : counted(total, 'entry', 'entries')}
          {filtered && ' found'}
        </Menu.Label>
        <Menu.Item onClick={() => void save('txt')}>Addresses, one per line</Menu.Item>
        <Menu.Item onClick={() => void save('csv')}>CSV with reason, expiry and who blocked it</Menu.Item>
        <Menu.Item onClick={() => void save('json')}>JSON</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
