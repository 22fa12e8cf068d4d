import 'uplot/dist/uPlot.min.css';
import { useComputedColorScheme } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';
import { createPlot, type Plot } from './plot.ts';
import type { ChartData } from './series.ts';
import classes from './time-chart.module.css';
import { Tip } from './tip.tsx';

interface TimeChartProps {
  readonly data: ChartData;
  /** Of a value, such as "requests/min". */
  readonly unit: string;
  readonly height: number;
  readonly fromZero: boolean;
}

/** Drag to zoom, double click to see all. A screen reader gets the table beside it. */
export default function TimeChart({ data, unit, height, fromZero }: TimeChartProps) {
  const { ref: sized, width } = useElementSize();
  const container = useRef<HTMLDivElement>(null);
  const plot = useRef<Plot>(null);
  const [pointed, setPointed] = useState<{ readonly step: number; readonly reach: number } | null>(null);
  const scheme = useComputedColorScheme('light');
  const lines = data.lines.map(({ label, colour }) => `${label} ${colour}`);
  const kind = [...lines, data.previous?.label ?? ''].join('\n');

  // biome-ignore lint/correctness/useExhaustiveDependencies: created again only for another size, theme or set of lines.
  useEffect(() => {
    if (container.current === null || width === 0) return;
    const onStep = (step: number | null, reach: number): void => setPointed(step === null ? null : { step, reach });
    const made = createPlot(container.current, data, { width, height, fromZero, onStep });
    plot.current = made;
    return () => {
      made.destroy();
      plot.current = null;
    };
  }, [width, height, fromZero, scheme, kind]);
  useEffect(() => plot.current?.show(data), [data]);

  return (
    <div ref={sized} className={classes.chart} style={{ height }} aria-hidden="true">
      <div ref={container} />
      {pointed !== null && <Tip data={data} {...pointed} unit={unit} />}
    </div>
  );
}
