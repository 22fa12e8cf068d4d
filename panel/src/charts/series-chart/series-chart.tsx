import { Button, Group, NativeSelect, Text, Title } from '@mantine/core';
import { useMemo } from 'react';
import { useSeries } from '../../api/insight.ts';
import { useServiceNow } from '../../parts/age.tsx';
import { unknownFigure } from '../../parts/figures.ts';
import { Read } from '../../parts/read.tsx';
import styles from '../../parts/styles.module.css';
import { useUrlState } from '../../parts/url-state.ts';
import { chartData } from '../series.ts';
import type { RangeName } from '../times.ts';
import { ChartBody } from './chart-body.tsx';
import { type ChartView, viewNamed } from './chart-views.ts';

interface SeriesChartProps {
  readonly range: RangeName;
  /** What it may show, the default first. */
  readonly views: readonly ChartView[];
  readonly height: number;
}

/** What it shows is in the URL: `chart`, and `as=table`. */
export function SeriesChart({ range, views, height }: SeriesChartProps) {
  const [name, setName] = useUrlState('chart', views[0]?.name ?? '');
  const [as, setAs] = useUrlState('as', 'picture');
  const view = viewNamed(views, name);
  const isTable = as === 'table';
  return (
    <section className={styles.card} aria-label={view.title}>
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
            data={views.map(({ name: value, label }) => ({ value, label }))}
          />
          <Button size="xs" variant="default" onClick={() => setAs(isTable ? 'picture' : 'table')}>
            {isTable ? 'Show as chart' : 'Show as table'}
          </Button>
        </Group>
      </Group>
      <Drawn view={view} range={range} isTable={isTable} height={height} />
    </section>
  );
}

interface DrawnProps {
  readonly view: ChartView;
  readonly range: RangeName;
  readonly isTable: boolean;
  readonly height: number;
}

function Drawn({ view, range, isTable, height }: DrawnProps) {
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
          <ChartBody
            data={drawn}
            isTable={isTable}
            height={height}
            title={view.title}
            unit={view.unit}
            fromZero={view.fromZero}
            oneIn={series.data?.sampled?.one_in ?? null}
          />
        )
      }
    </Read>
  );
}
