import { render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { ChartData } from './series.ts';
import { stepText } from './times.ts';
import { Tip } from './tip.tsx';

const begin = Date.parse('2026-11-20T12:00:00Z') / 1_000;
const data: ChartData = {
  times: [begin, begin + 60, begin + 120, begin + 180],
  stepSeconds: 60,
  lines: [{ label: 'denied', colour: '--chart-1', values: [1, 2, 3, 4] }],
  gaps: [],
  marks: [30, 100, 190, 200, 210].map((after) => ({ at: begin + after, kind: 'import', text: `Import ${after}` })),
  attacks: [],
};
const show = (reach: number) => render(<Tip data={data} step={1} reach={reach} unit="requests/min" />);

it('names the marks of a step', () => {
  show(0);
  screen.getByText('Import 100');
  expect(screen.queryByText(/Import (30|190)/)).toBeNull();
});

it('names marks near a step too, the nearest first, with their time, since a finger does not hit a line', () => {
  show(120);
  screen.getByText('Import 100');
  const words = screen.getAllByText(/Import/).map(({ textContent }) => textContent);
  const near = [30, 190].map((after) => `${stepText(begin + after, 0)}: Import ${after}`);
  expect(words).toEqual(['Import 100', ...near]);
  screen.getByText('and 2 more');
});
