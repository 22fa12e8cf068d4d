import { lazy, Suspense } from 'react';
import type { ChartData } from '../series.ts';
import { ChartNotes } from './chart-notes.tsx';
import { Legend } from './legend.tsx';
import { SeriesTable } from './series-table.tsx';

// Apart from the page, whose words are there before a picture is needed; loaded beside the figures, not after them.
const load = () => import('../time-chart.tsx');
const TimeChart = lazy(load);
// A failure is that of the chart, which loads it again.
void load().catch(() => undefined);

interface ChartBodyProps {
  readonly data: ChartData;
  readonly isTable: boolean;
  readonly height: number;
  readonly title: string;
  readonly unit: string;
  readonly fromZero: boolean;
  /** Null: the figures are exact. */
  readonly oneIn: number | null;
  /** Default true. False: of a time that is over, whose last values say nothing. */
  readonly hasLegend?: boolean;
}

/** As a picture, or the same figures as a table. */
export function ChartBody({ data, isTable, height, title, unit, fromZero, oneIn, hasLegend = true }: ChartBodyProps) {
  return (
    <>
      {hasLegend && <Legend data={data} />}
      {isTable ? (
        <SeriesTable data={data} title={title} unit={unit} />
      ) : (
        <Suspense fallback={<div style={{ height }} />}>
          <TimeChart data={data} unit={unit} height={height} fromZero={fromZero} />
        </Suspense>
      )}
      <ChartNotes data={data} oneIn={oneIn} />
    </>
  );
}
