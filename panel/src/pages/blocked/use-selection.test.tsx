import { act, renderHook } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { BlockedIp } from '../../api/types.ts';
import { useSelection } from './use-selection.ts';

const entry = (ip: string) => ({ ip_address: ip }) as BlockedIp;
const [first, second] = [entry('192.0.2.1'), entry('192.0.2.2')];

it('after "Select all", does not select the entry that is deselected', () => {
  const { result } = renderHook(useSelection);
  act(() => result.current.select(first, null));
  act(() => result.current.selectAll());
  act(() => result.current.select(second, null));
  expect(result.current.all).toBe(false);
  expect([...result.current.entries.keys()]).toEqual(['192.0.2.1']);
});

it('keeps only the given entries', () => {
  const { result } = renderHook(useSelection);
  act(() => result.current.select(first, null));
  act(() => result.current.select(second, null));
  act(() => result.current.keep([second]));
  expect([...result.current.entries.keys()]).toEqual(['192.0.2.2']);
});
