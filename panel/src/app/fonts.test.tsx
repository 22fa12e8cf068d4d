import { beforeEach, expect, it, vi } from 'vitest';
import { loadOwnFonts } from './fonts.ts';

const asked: string[] = [];
const applied: string[] = [];
let answers: boolean;

class FakeFace {
  readonly family: string;

  constructor(family: string) {
    this.family = family;
  }

  async load(): Promise<void> {
    asked.push(this.family);
    if (!answers) throw new TypeError('network error');
  }
}

beforeEach(() => {
  asked.length = 0;
  applied.length = 0;
  answers = true;
  localStorage.clear();
  vi.stubGlobal('FontFace', FakeFace);
  Object.assign(document.fonts, { add: ({ family }: FakeFace) => applied.push(family) });
});

const both = ['Inter', 'JetBrains Mono'];
const isStored = () => localStorage.getItem('proxy-manager-fonts') !== null;

it('applies the own fonts to the sign-in form of a first visit', async () => {
  loadOwnFonts(true);
  expect([asked, applied]).toEqual([both, both]);
  await vi.waitFor(() => expect(isStored()).toBe(true));
});

it('lets the first page with figures come before the fonts, and applies them from the next visit on', async () => {
  vi.useFakeTimers();
  loadOwnFonts(false);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(asked).toEqual([]);
  await vi.advanceTimersByTimeAsync(5_000);
  vi.useRealTimers();
  expect([asked, applied]).toEqual([both, []]);
  await vi.waitFor(() => expect(isStored()).toBe(true));
  loadOwnFonts(false);
  expect(applied).toEqual(both);
});

it('does not claim to have fonts that it could not fetch', async () => {
  localStorage.setItem('proxy-manager-fonts', 'others');
  answers = false;
  loadOwnFonts(true);
  await vi.waitFor(() => expect(isStored()).toBe(false));
});
