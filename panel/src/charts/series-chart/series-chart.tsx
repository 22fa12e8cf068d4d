import { Button, Group, NativeSelect, Text, Title } from '@mantine/core';
import { useMemo } from 'react';
import { useSeries } from '../../api/insight.ts';
import { useServiceNow } from '../../parts/age.tsx';
import { unknownFigure } from '../../parts/figures.ts';
import { Read, ReadProblem } from '../../parts/read.tsx';
import { useSourceColours } from '../../parts/source-colours.ts';
import styles from '../../parts/styles.module.css';
import { useUrlState } from '../../parts/url-state.ts';
import { byVerdict, chartData, previousValues, verdictColours } from '../series.ts';
import { type RangeName, rangeLabels, rangeSeconds } from '../times.ts';
import classes from './chart.module.css';
import { ChartBody } from './chart-body.tsx';
import { type ChartView, viewNamed } from './chart-views.ts';

interface SeriesChartProps {
  readonly range: RangeName;
  /** What it may show, the default first. */
  readonly views: readonly ChartView[];
  readonly height: number;
}

/** What it shows is in the URL: `chart`, `previous=shown`, and `as=table`. */
export function SeriesChart({ range, views, height }: SeriesChartProps) {
  const [name, setName] = useUrlState('chart', views[0]?.name ?? '');
  const [as, setAs] = useUrlState('as', 'picture');
  const [previous, setPrevious] = useUrlState('previous', 'hidden');
  const view = viewNamed(views, name);
  const isTable = as === 'table';
  const compares = previous === 'shown';
  return (
    <section className={styles.card} aria-label={view.title}>
      <Group justify="space-between" gap="xs" mb="xs">
        <Title order={2} size="sm">
          {view.title}
        </Title>
        <Group gap="xs" wrap="nowrap" className={classes.controls ?? ''}>
          <NativeSelect
            size="xs"
            aria-label="Chart"
            className={classes.select ?? ''}
            value={view.name}
            onChange={(event) => setName(event.currentTarget.value)}
            data={views.map(({ name: value, label }) => ({ value, label }))}
          />
          <Button
            size="xs"
            flex="none"
            variant={compares ? 'light' : 'default'}
            aria-pressed={compares}
            aria-label={`Compare with previous ${rangeLabels[range]}`}
            onClick={() => setPrevious(compares ? 'hidden' : 'shown')}
          >
            Compare<span className={classes.wideOnly}>&nbsp;with previous {rangeLabels[range]}</span>
          </Button>
          <Button
            size="xs"
            flex="none"
            variant="default"
            aria-label={isTable ? 'Show as chart' : 'Show as table'}
            onClick={() => setAs(isTable ? 'picture' : 'table')}
          >
            <span className={classes.wideOnly}>Show as {isTable ? 'chart' : 'table'}</span>
            <span className={classes.narrowOnly}>{isTable ? 'Chart' : 'Table'}</span>
          </Button>
        </Group>
      </Group>
      <Drawn view={view} range={range} isTable={isTable} compares={compares} height={height} />
    </section>
  );
}

const colourOfVerdict = (label: string): string | null => verdictColours[label] ?? null;

interface DrawnProps {
  readonly view: ChartView;
  readonly range: RangeName;
  readonly isTable: boolean;
  readonly compares: boolean;
  readonly height: number;
}

function Drawn({ view, range, isTable, compares, height }: DrawnProps) {
  const { perMinute } = view;
  const ofSources = useSourceColours(view.by === 'source');
  const isByVerdict = view.by === 'verdict';
  const colourOf = view.by === 'source' ? ofSources : isByVerdict ? colourOfVerdict : undefined;
  const asked = useSeries(view.metric, view.by === 'verdict' ? 'none' : view.by, range);
  const denied = useSeries('denied', 'none', range, isByVerdict);
  const divided = useMemo(() => {
    if (!isByVerdict) return asked;
    const { data: all } = asked;
    const data = all === undefined || denied.data === undefined ? undefined : byVerdict(all, denied.data);
    return {
      data,
      error: asked.error ?? denied.error,
      refetch: () => Promise.all([asked.refetch(), denied.refetch()]),
    };
  }, [isByVerdict, asked, denied]);
  // As of a service without sites.
  const isUndivided = view.by !== 'none' && divided.data?.labels.length === 0;
  const sum = useSeries(view.metric, 'none', range, isUndivided);
  const series = isUndivided ? sum : divided;
  const seconds = rangeSeconds[range];
  const twice = useSeries(view.metric, 'none', `${2 * seconds}s`, compares);
  const now = useServiceNow(10_000);
  const data = useMemo(() => {
    if (series.data === undefined) return undefined;
    const drawn = chartData(series.data, { perMinute, now: now / 1_000, colourOf });
    if (!compares || twice.data === undefined) return drawn;
    const values = previousValues(twice.data, drawn, { seconds, perMinute });
    return { ...drawn, previous: { label: `previous ${rangeLabels[range]}`, values } };
  }, [series.data, twice.data, compares, perMinute, seconds, range, colourOf, now]);
  return (
    <>
      {compares && <ReadProblem of={twice} failed="Could not load the previous period" />}
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
    </>
  );
}
