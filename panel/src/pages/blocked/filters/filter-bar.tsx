import { Menu, Text } from '@mantine/core';
import { useSources } from '../../../api/sources.ts';
import { CheckIcon } from '../../../parts/icons.tsx';
import { visibleText } from '../../../parts/visible-text.ts';
import type { BlockedSearch } from '../use-blocked-search.ts';
import classes from './filter-bar.module.css';
import { choiceLabel, filterWords } from './filter-words.ts';

interface FilterBarProps {
  readonly search: BlockedSearch;
}

/** The filters of the list as chips: each opens its choices, and one that is set can be removed. */
export function FilterBar({ search }: FilterBarProps) {
  const { filter, idle, invalid } = search;
  const names = useSources().data?.items.map(({ name }) => name) ?? [];
  const sources = filter.source === '' || names.includes(filter.source) ? names : [...names, filter.source];
  const inactive = idle.filter((name) => name !== 'order');
  return (
    <>
      <fieldset className={classes.bar} aria-label="Filters">
        {(sources.length > 1 || filter.source !== '') && (
          <Chip
            label="Source"
            value={filter.source}
            shown={visibleText(filter.source)}
            idle={idle.includes('source')}
            choices={sources.map((name) => ({ value: name, label: visibleText(name) }))}
            onChange={(source) => search.setFilter({ source }, 'push')}
          />
        )}
        {filterWords.map((words) => (
          <Chip
            key={words.name}
            label={words.label}
            value={filter[words.name]}
            shown={choiceLabel(words, filter[words.name])}
            idle={idle.includes(words.name)}
            choices={words.choices}
            onChange={(value) => search.setFilter({ [words.name]: value }, 'push')}
          />
        ))}
      </fieldset>
      {inactive.length > 0 && (
        <Text size="xs" c="dimmed" role="status" className={classes.note ?? ''}>
          {search.settled.kind === 'all'
            ? '“Never matched” can be combined with the source only. The other filters and the order do not apply.'
            : 'A search finds entries of all sources, in the order of addresses. The dimmed filters and the order do not apply.'}
        </Text>
      )}
      {invalid.length > 0 && (
        <Text size="xs" c="orange" role="status" className={classes.note ?? ''}>
          Ignored, since the list has no such filter: {invalid.map((text) => visibleText(text)).join(', ')}
        </Text>
      )}
    </>
  );
}

interface ChipProps {
  readonly label: string;
  readonly value: string;
  readonly shown: string;
  readonly idle: boolean;
  readonly choices: readonly { readonly value: string; readonly label: string }[];
  readonly onChange: (value: string) => void;
}

function Chip({ label, value, shown, idle, choices, onChange }: ChipProps) {
  const set = value !== '';
  return (
    <span className={classes.chip} data-set={set} data-idle={idle}>
      <Menu position="bottom-start">
        <Menu.Target>
          <button type="button" className={classes.button} {...(set ? {} : { 'aria-label': `Filter by ${label}` })}>
            {label} {set && <b className={classes.value}>{shown}</b>}
          </button>
        </Menu.Target>
        <Menu.Dropdown className={classes.menu ?? ''}>
          {choices.map((choice) => (
            <Menu.Item
              key={choice.value}
              rightSection={choice.value === value ? <CheckIcon size={14} /> : null}
              onClick={() => onChange(choice.value === value ? '' : choice.value)}
            >
              {choice.label}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {set && (
        <button
          type="button"
          className={classes.remove}
          aria-label={`Remove filter: ${label}`}
          onClick={() => onChange('')}
        >
          ×
        </button>
      )}
    </span>
  );
}
