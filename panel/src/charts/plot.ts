// The picture of a chart: stacked areas, hatched gaps, and marks of what happened.
import uPlot from 'uplot';
import { shortCount } from '../parts/figures.ts';
import { placesOfWords } from './mark-words.ts';
import { type Band, type ChartData, stacked } from './series.ts';
import { axisText } from './times.ts';

interface PlotOptions {
  readonly width: number;
  readonly height: number;
  /** Called for each step under the pointer; null: none. `reach`: so many seconds beside it a pointer means as well. */
  readonly onStep: (index: number | null, reach: number) => void;
  /** From 0; else from the lowest value. */
  readonly fromZero: boolean;
}

export interface Plot {
  show(data: ChartData): void;
  destroy(): void;
}

const steps = Array.from({ length: 28 }, (_, n) => ([1, 2, 5][n % 3] ?? 1) * 10 ** Math.floor(n / 3));
const fontOf = (ratio: number): string => `${11 * ratio}px Inter, system-ui`;
/** On the right of the picture: room for half of the last label of the axis. */
const padding = 18;
/** A line has no width that a pointer could hit; pixels on each side. A finger has a target of 44. */
const reachOf = { mouse: 4, finger: 22 } as const;

export function createPlot(container: HTMLElement, first: ChartData, options: PlotOptions): Plot {
  const { width, height, onStep, fromZero } = options;
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string): string => style.getPropertyValue(name).trim();
  const reach = reachOf[matchMedia('(pointer: coarse)').matches ? 'finger' : 'mouse'];
  let data = first;
  const ground = colour('--panel-raised');
  const axis = {
    stroke: colour('--mantine-color-dimmed'),
    grid: { stroke: colour('--panel-line'), width: 1 },
    ticks: { show: false },
    font: fontOf(1),
  };
  // The top of the stack first: each further area covers its own part.
  const lines = first.lines.toReversed();
  const plot = new uPlot(
    {
      width,
      height,
      legend: { show: false },
      padding: [18, padding, 0, 0],
      cursor: {
        y: false,
        points: { show: false },
        drag: { x: true, y: false, setScale: true },
      },
      scales: {
        x: { time: true },
        y: {
          range: (_plot, low, high) =>
            fromZero
              ? [0, Math.max(1, high * 1.08)]
              : [Math.max(0, Math.floor(low * 0.995)), Math.ceil(high * 1.005) + 1],
        },
      },
      axes: [
        {
          ...axis,
          grid: { show: false },
          space: 90,
          size: 26,
          values: (_plot, ticks) => ticks.map((tick) => axisText(tick, (ticks[1] ?? tick) - (ticks[0] ?? tick))),
        },
        {
          ...axis,
          size: 44,
          incrs: steps,
          space: 34,
          values: (_plot, values) => values.map((value) => shortCount(value)),
        },
      ],
      series: [
        {},
        ...lines.map(({ colour: name }) => ({
          stroke: colour(name),
          fill: blended(colour(name), ground),
          width: 1.5,
          points: { show: false },
        })),
        ...(first.previous === undefined
          ? []
          : [{ stroke: colour('--panel-quiet'), width: 1, dash: [4, 4], points: { show: false } }]),
      ],
      hooks: {
        drawClear: [
          (drawn) => drawAttacks(drawn, data, colour('--panel-warn')),
          (drawn) => drawGaps(drawn, data, colour('--mantine-color-dimmed')),
        ],
        draw: [(drawn) => drawMarks(drawn, data, colour)],
        setCursor: [(drawn) => onStep(drawn.cursor.idx ?? null, drawn.posToVal(reach, 'x') - drawn.posToVal(0, 'x'))],
      },
    },
    aligned(first),
    container,
  );
  return {
    show(next) {
      data = next;
      plot.setData(aligned(next));
    },
    destroy: () => plot.destroy(),
  };
}

function aligned({ times, lines, previous }: ChartData): uPlot.AlignedData {
  const over = previous === undefined ? [] : [[...previous.values]];
  return [[...times], ...stacked(lines).toReversed(), ...over] as uPlot.AlignedData;
}

/** Opaque, so that areas that lie over each other keep their own colour. Both are `#rrggbb`. */
function blended(over: string, under: string): string {
  const parts = (text: string): number[] => [1, 3, 5].map((at) => Number.parseInt(text.slice(at, at + 2), 16));
  const [a, b] = [parts(over), parts(under)];
  if ([...a, ...b].some(Number.isNaN)) return over;
  return `rgb(${a.map((part, at) => Math.round(part * 0.28 + (b[at] ?? 0) * 0.72)).join(' ')})`;
}

/** What of the picture a time has; null: it is outside. */
function boxOf(plot: uPlot, { times, stepSeconds }: ChartData, { from, to }: Pick<Band, 'from' | 'to'>) {
  const { left: first, top, width, height } = plot.bbox;
  const last = (times.at(-1) ?? 0) + stepSeconds;
  const left = Math.max(first, plot.valToPos(from, 'x', true));
  const right = Math.min(first + width, plot.valToPos(Math.min(to, last), 'x', true));
  return right <= left ? null : { left, right, top, width: Math.max(right - left, 2), height };
}

/** Behind the areas. */
function drawAttacks(plot: uPlot, data: ChartData, colour: string): void {
  const { ctx } = plot;
  ctx.save();
  ctx.globalAlpha = 0.14;
  ctx.fillStyle = colour;
  for (const attack of data.attacks) {
    const box = boxOf(plot, data, attack);
    if (box !== null) ctx.fillRect(box.left, box.top, box.width, box.height);
  }
  ctx.restore();
}

function drawGaps(plot: uPlot, data: ChartData, colour: string): void {
  const { ctx, bbox } = plot;
  ctx.save();
  for (const gap of data.gaps) {
    const box = boxOf(plot, data, gap);
    if (box === null) continue;
    const { left, right } = box;
    ctx.save();
    ctx.beginPath();
    ctx.rect(left, bbox.top, box.width, bbox.height);
    ctx.clip();
    ctx.globalAlpha = 0.2;
    ctx.strokeStyle = colour;
    ctx.lineWidth = 1;
    ctx.beginPath();
    const slope = bbox.height;
    for (let x = left - slope - ((left - slope) % 8); x < right; x += 8) {
      ctx.moveTo(x, bbox.top + bbox.height);
      ctx.lineTo(x + slope, bbox.top);
    }
    ctx.stroke();
    ctx.restore();
  }
  ctx.restore();
}

function drawMarks(plot: uPlot, { marks }: ChartData, colour: (name: string) => string): void {
  const { ctx, bbox } = plot;
  ctx.save();
  const ratio = uPlot.pxRatio;
  ctx.font = fontOf(ratio);
  ctx.textAlign = 'left';
  ctx.textBaseline = 'bottom';
  ctx.lineWidth = ratio;
  ctx.setLineDash([4 * ratio, 3 * ratio]);
  const { left, top, width, height } = bbox;
  const drawn = marks
    .map(({ at, kind }) => ({
      ...{ x: Math.round(plot.valToPos(at, 'x', true)), kind, isFirst: kind === 'attack' },
      width: ctx.measureText(kind).width,
    }))
    .filter(({ x }) => x >= left && x <= left + width);
  const places = placesOfWords(drawn, { left, right: left + width + padding * ratio, gap: 6 * ratio });
  for (const [index, { x, kind, isFirst }] of drawn.entries()) {
    ctx.strokeStyle = colour(isFirst ? '--panel-warn' : '--mantine-color-dimmed');
    ctx.fillStyle = ctx.strokeStyle;
    ctx.beginPath();
    ctx.moveTo(x, top);
    ctx.lineTo(x, top + height);
    ctx.stroke();
    const place = places[index] ?? null;
    if (place !== null) ctx.fillText(kind, place, top - 3 * ratio);
  }
  ctx.restore();
}
