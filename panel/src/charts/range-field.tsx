import { SegmentedControl } from '@mantine/core';
import { useUrlState } from '../parts/url-state.ts';
import classes from './range-field.module.css';
import { isRangeName, type RangeName, rangeLabels, ranges } from './times.ts';

const fallback: RangeName = '24h';

/** Of all figures of the page; in its URL. */
export function useRange(): readonly [RangeName, (range: RangeName) => void] {
  const [text, setText] = useUrlState('range', fallback);
  return [isRangeName(text) ? text : fallback, (range) => setText(range)];
}

interface RangeFieldProps {
  readonly range: RangeName;
  readonly onChange: (range: RangeName) => void;
}

export function RangeField({ range, onChange }: RangeFieldProps) {
  return (
    <SegmentedControl
      size="xs"
      aria-label="Range"
      className={classes.range ?? ''}
      value={range}
      onChange={(value) => onChange(value as RangeName)}
      data={ranges.map((value) => ({ value, label: rangeLabels[value] }))}
    />
  );
}
