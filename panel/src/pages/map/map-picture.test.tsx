import { fireEvent, screen } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import type { EntryMap } from '../../api/entry-map.ts';
import { renderInApp } from '../../test/render.tsx';
import { Legend } from './legend.tsx';
import { areasOf } from './map-areas.ts';
import { MapPicture } from './map-picture.tsx';

const map: EntryMap = {
  ...{ layer: 'density', network: '0.0.0.0/0', cells: new Uint8Array(0), sources: [], sizes: [], widest: [] },
  blocks: [
    { network: '45.0.0.0/8', entries: 3, addresses: 65_538 },
    { network: '0.0.0.0/8', entries: 1, addresses: 1 },
  ],
};
const onOpen = vi.fn();
const surface = () => screen.getByRole('button', { name: /^Map of the blocked addresses/ });
const shown = (): string | undefined => screen.getByRole('status').querySelector('b')?.textContent;

/** At the top left, which is 0.0.0.0/8. @returns the places of a press and of the click that follows it */
async function show() {
  await renderInApp(<MapPicture map={map} areas={areasOf(null)} onOpen={onOpen} onLeave={null} />, { signedIn: false });
  vi.spyOn(surface(), 'getBoundingClientRect').mockReturnValue(new DOMRect(0, 0, 320, 320));
  return { clientX: 5, clientY: 5, detail: 1 };
}

function press(pointerType: string, at: { readonly clientX: number; readonly clientY: number }): void {
  fireEvent(surface(), new PointerEvent('pointerdown', { ...at, pointerType, bubbles: true }));
  fireEvent.click(surface(), at);
}

beforeEach(() => {
  onOpen.mockClear();
});

it('selects a network by touch, shows its figures, and opens it with a button', async () => {
  const at = await show();
  expect(shown()).toBe('45.0.0.0/8');
  press('touch', at);
  expect(onOpen).not.toHaveBeenCalled();
  expect(shown()).toBe('0.0.0.0/8');
  screen.getByText(/^1 entry · 1 address /);
  fireEvent.click(screen.getByRole('button', { name: 'Open 0.0.0.0/8' }));
  expect(onOpen).toHaveBeenCalledExactlyOnceWith('0.0.0.0/8');
});

it('keeps the selected network while a finger scrolls the page over the map', async () => {
  const at = await show();
  fireEvent(surface(), new PointerEvent('pointerdown', { ...at, pointerType: 'touch', bubbles: true }));
  fireEvent(surface(), new PointerEvent('pointermove', { ...at, pointerType: 'touch', bubbles: true }));
  expect(shown()).toBe('45.0.0.0/8');
});

it('opens the network under a mouse with a click', async () => {
  press('mouse', await show());
  expect(onOpen).toHaveBeenCalledExactlyOnceWith('0.0.0.0/8');
});

it('opens the current network by keyboard, after a touch too', async () => {
  press('touch', await show());
  fireEvent.keyDown(surface(), { key: 'ArrowRight' });
  // As a browser does for Enter.
  fireEvent.click(surface(), { detail: 0 });
  expect(onOpen).toHaveBeenCalledExactlyOnceWith('1.0.0.0/8');
});

it.each([
  ['0.0.0.0/0', 'Reserved: no clients. One cell is a /18.'],
  ['10.0.0.0/8', 'Reserved: no clients. One cell is a /24.'],
  ['45.0.0.0/8', 'One cell is a /24.'],
])('says in the legend of %s how large a cell is, and what is reserved', async (network, words) => {
  await renderInApp(<Legend map={{ ...map, network }} />, { signedIn: false });
  expect(screen.getByRole('region', { name: 'Legend' }).lastElementChild?.textContent).toBe(words);
});
