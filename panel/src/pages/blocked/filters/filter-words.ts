import { visibleText } from '../../../parts/visible-text.ts';
import type { FilterName, FilterTexts } from './list-filter.ts';

interface Choice {
  readonly value: string;
  readonly label: string;
}

export interface FilterWords {
  readonly name: Exclude<FilterName, 'sort' | 'order' | 'source'>;
  readonly label: string;
  readonly choices: readonly Choice[];
}

/** All but the source, whose choices are those of the service. */
export const filterWords: readonly FilterWords[] = [
  { name: 'expiring', label: 'Expires', choices: [{ value: 'yes', label: 'Temporary blocks only' }] },
  {
    name: 'family',
    label: 'Family',
    choices: [
      { value: 'ipv4', label: 'IPv4' },
      { value: 'ipv6', label: 'IPv6' },
    ],
  },
  {
    name: 'wider_than',
    label: 'Size',
    choices: [
      { value: '32', label: 'IPv4 networks' },
      { value: '24', label: 'wider than /24' },
      { value: '20', label: 'wider than /20' },
      { value: '16', label: 'wider than /16' },
    ],
  },
  {
    name: 'blocked_since',
    label: 'Blocked',
    choices: [
      { value: '1h', label: 'in the last hour' },
      { value: '24h', label: 'in the last 24 h' },
      { value: '7d', label: 'in the last 7 days' },
      { value: '30d', label: 'in the last 30 days' },
    ],
  },
  {
    name: 'hit_within',
    label: 'Last hit',
    choices: [
      { value: '1h', label: 'within 1 h' },
      { value: '24h', label: 'within 24 h' },
      { value: '7d', label: 'within 7 days' },
      { value: '30d', label: 'within 30 days' },
    ],
  },
  {
    name: 'not_hit_for',
    label: 'Never matched',
    choices: [
      { value: '7d', label: 'in 7 days' },
      { value: '30d', label: 'in 30 days' },
      { value: '90d', label: 'in 90 days' },
    ],
  },
];

/** @param value valid, but perhaps none of the choices */
export function choiceLabel({ name, choices }: FilterWords, value: string): string {
  const known = choices.find((choice) => choice.value === value)?.label;
  if (known !== undefined) return known;
  return (
    {
      wider_than: `wider than /${value}`,
      blocked_since: `since ${value}`,
      hit_within: `within ${value}`,
      not_hit_for: `in ${value}`,
    }[name as string] ??
    choices[0]?.label ??
    value
  );
}

/** The set filters as a sentence, such as "Source drop, wider than /20". */
export function filterText(filter: FilterTexts): string {
  const parts = filterWords
    .filter(({ name }) => filter[name] !== '')
    .map((words) => `${words.label.toLowerCase()} ${choiceLabel(words, filter[words.name])}`);
  const all = [...(filter.source === '' ? [] : [`source ${visibleText(filter.source)}`]), ...parts].join(', ');
  return all.charAt(0).toUpperCase() + all.slice(1);
}
