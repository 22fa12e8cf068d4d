import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { FakeService } from '../../test/fake-service.ts';
import { renderInApp } from '../../test/render.tsx';
import { MinuteBars } from './minute-bars.tsx';

it('ends with the last complete minute, in the axis as in the titles', async () => {
  new FakeService();
  await renderInApp(<MinuteBars values={[5, 0, 7]} isAttention={false} />);
  const bars = await screen.findByRole('img');
  const titles = [...bars.querySelectorAll('title')].map(({ textContent }) => textContent);
  expect(titles).toEqual(['5 requests, 3 min ago', '0 requests, 2 min ago', '7 requests, 1 min ago']);
  screen.getByText('3 min ago');
  screen.getByText('1 min ago');
});
