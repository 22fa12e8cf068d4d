import 'uplot/dist/uPlot.min.css';
import { Group, Text, useComputedColorScheme } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import styles from '../../parts/styles.module.css';
import type { Reload } from '../../traffic/history.ts';
import classes from './overview.module.css';

export interface Series {
  readonly label: string;
  readonly colour: string;
  readonly values: readonly (number | null)[];
}

interface ChartProps {
  readonly title: string;
  readonly times: readonly number[];
  readonly series: readonly Series[];
  readonly reloads: readonly Reload[];
  readonly unit: (value: number) => string;
  readonly integers?: boolean;
  readonly live: boolean;
}

const height = 150;
const integerSteps = Array.from({ length: 28 }, (_, n) => ([1, 2, 5][n % 3] ?? 1) * 10 ** Math.floor(n / 3));

export function Chart({ title, times, series, reloads, unit, integers = false, live }: ChartProps) {
  const { ref: sized, width } = useElementSize();
  const container = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(null);
  const marks = useRef(reloads);
  const scheme = useComputedColorScheme('light');
  const labels = series.map(({ label }) => label).join('\n');

  // biome-ignore lint/correctness/useExhaustiveDependencies: created again only for another size, theme or set of series.
  useEffect(() => {
    if (container.current === null || width === 0) return;
    const colour = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    const axis = {
      stroke: colour('--panel-unknown'),
      grid: { stroke: colour('--panel-line'), width: 1 },
      ticks: { show: false },
      font: '11px system-ui',
    };
    const made = new uPlot(
      {
        width,
        height,
        legend: { show: false },
        cursor: { show: false },
        scales: { x: { time: true, range: recent }, y: { range: (_plot, _min, max) => [0, Math.max(1, max * 1.1)] } },
        axes: [
          { ...axis, space: 70, size: 26, values: (_plot, values) => values.map(clockText) },
          {
            ...axis,
            size: 52,
            ...(integers ? { incrs: integerSteps } : {}),
            values: (_plot, values) => values.map(unit),
          },
        ],
        series: [
          {},
          ...series.map(({ colour: name }) => ({ stroke: colour(name), width: 2, points: { show: false } })),
        ],
        hooks: { draw: [(drawn) => drawMarks(drawn, marks.current, colour('--panel-warn'))] },
      },
      [[...times], ...series.map(({ values }) => [...values])] as uPlot.AlignedData,
      container.current,
    );
    plot.current = made;
    return () => {
      made.destroy();
      plot.current = null;
    };
  }, [width, scheme, labels]);

  useEffect(() => {
    marks.current = reloads;
    plot.current?.setData([[...times], ...series.map(({ values }) => [...values])] as uPlot.AlignedData);
  }, [times, series, reloads]);

  const words = series.map(({ label, values }) => ({ label, now: live ? (values.at(-1) ?? null) : null }));
  return (
    <section className={styles.card} aria-label={title}>
      <Group justify="space-between" mb={4} gap="xs">
        <Text fw={600} size="sm">
          {title}
        </Text>
        <Group gap="2px 16px">
          {words.map(({ label, now }, index) => (
            <Text key={label} size="xs" className={styles.figure}>
              <span
                className={classes.legendLine}
                style={{ background: `var(${series[index]?.colour})` }}
                aria-hidden="true"
              />
              {label} <b>{now === null ? '–' : unit(now)}</b>
            </Text>
          ))}
        </Group>
      </Group>
      <div ref={sized} style={{ height }} aria-hidden="true">
        <div ref={container} />
      </div>
    </section>
  );
}

/** At least 30 seconds: uPlot shows a day for a single moment. */
function recent({ data: [times] }: uPlot): [number, number] {
  const last = times.at(-1) ?? Date.now() / 1_000;
  return [Math.min(times[0] ?? last, last - 30), last];
}

function clockText(seconds: number): string {
  return new Date(seconds * 1_000).toLocaleTimeString(undefined, { hour12: false });
}

function drawMarks(plot: uPlot, reloads: readonly Reload[], colour: string): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.strokeStyle = colour;
  ctx.setLineDash([4, 3]);
  for (const { at } of reloads) {
    const x = Math.round(plot.valToPos(at, 'x', true));
    if (x < bbox.left || x > bbox.left + bbox.width) continue;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
  }
  ctx.restore();
}
