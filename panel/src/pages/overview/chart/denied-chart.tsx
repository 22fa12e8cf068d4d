import { Button, Group, NativeSelect, Text, Title } from '@mantine/core';
import { lazy, Suspense, useMemo } from 'react';
import { useSeries } from '../../../api/insight.ts';
import { chartData } from '../../../charts/series.ts';
import type { RangeName } from '../../../charts/times.ts';
import { useServiceNow } from '../../../parts/age.tsx';
import { unknownFigure } from '../../../parts/figures.ts';
import { Read } from '../../../parts/read.tsx';
import styles from '../../../parts/styles.module.css';
import { useUrlState } from '../../../parts/url-state.ts';
import { ChartNotes } from './chart-notes.tsx';
import { type ChartView, chartViews, viewNamed } from './chart-views.ts';
import { Legend } from './legend.tsx';
import { SeriesTable } from './series-table.tsx';

// Apart from the page, whose words are there before a picture is needed.
const TimeChart = lazy(() => import('../../../charts/time-chart.tsx'));

const height = 220;

export function DeniedChart({ range }: { readonly range: RangeName }) {
  const [name, setName] = useUrlState('chart', chartViews[0]?.name ?? '');
  const [as, setAs] = useUrlState('as', 'picture');
  const view = viewNamed(name);
  const isTable = as === 'table';
  return (
    <section className={styles.card} id="chart" aria-label={view.title}>
      <Group justify="space-between" gap="xs" mb="xs">
        <Title order={2} size="sm">
          {view.title}
        </Title>
        <Group gap="xs">
          <NativeSelect
            size="xs"
            aria-label="Chart"
            value={view.name}
            onChange={(event) => setName(event.currentTarget.value)}
            data={chartViews.map(({ name: value, label }) => ({ value, label }))}
          />
          <Button size="xs" variant="default" onClick={() => setAs(isTable ? 'picture' : 'table')}>
            {isTable ? 'Show as chart' : 'Show as table'}
          </Button>
        </Group>
      </Group>
      <Drawn view={view} range={range} isTable={isTable} />
    </section>
  );
}

interface DrawnProps {
  readonly view: ChartView;
  readonly range: RangeName;
  readonly isTable: boolean;
}

function Drawn({ view, range, isTable }: DrawnProps) {
  const series = useSeries(view.metric, view.by, range);
  const now = useServiceNow(10_000);
  const data = useMemo(
    () => series.data && chartData(series.data, { perMinute: view.perMinute, now: now / 1_000 }),
    [series.data, view.perMinute, now],
  );
  return (
    <Read of={{ ...series, data }} failed="Could not load the chart" loading="Loading the chart">
      {(drawn) =>
        drawn.lines.length === 0 ? (
          <Text size="sm" c="dimmed" py="xl" ta="center">
            Nothing to show for this range yet ({unknownFigure}).
          </Text>
        ) : (
          <>
            <Legend data={drawn} />
            {isTable ? (
              <SeriesTable data={drawn} title={view.title} unit={view.unit} />
            ) : (
              <Suspense fallback={<div style={{ height }} />}>
                <TimeChart data={drawn} unit={view.unit} height={height} fromZero={view.fromZero} />
              </Suspense>
            )}
            <ChartNotes data={drawn} oneIn={series.data?.sampled?.one_in ?? null} />
          </>
        )
      }
    </Read>
  );
}
