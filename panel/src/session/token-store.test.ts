import { expect, it } from 'vitest';
import { type TabChannel, TokenStore } from './token-store.ts';

function storage(items: Record<string, string> = {}): Storage & { readonly items: Record<string, string> } {
  return {
    items,
    getItem: (name: string) => items[name] ?? null,
    setItem: (name: string, value: string) => void Object.assign(items, { [name]: value }),
    removeItem: (name: string) => void delete items[name],
  } as never;
}

/** Connected channels, as of tabs with one origin. */
function tabs(): () => TabChannel {
  const listeners: ((event: { data: unknown }) => void)[] = [];
  return () => {
    const own: ((event: { data: unknown }) => void)[] = [];
    return {
      postMessage: (data) => {
        for (const listener of listeners) if (!own.includes(listener)) queueMicrotask(() => listener({ data }));
      },
      addEventListener: (_, listener) => {
        own.push(listener);
        listeners.push(listener);
      },
    };
  };
}

it('removes a key that an earlier version stored', () => {
  const kept = storage({ 'proxy-manager-key': 'pm_secret' });
  new TokenStore(kept, tabs()());
  expect(kept.items).toEqual({});
});

it('keeps the token across a page reload until it is cleared', () => {
  const kept = storage();
  const tab = tabs();
  new TokenStore(kept, tab()).set('pms_1');
  const reloaded = new TokenStore(kept, tab());
  expect(reloaded.token).toBe('pms_1');
  reloaded.clear();
  expect(new TokenStore(kept, tab()).token).toBeNull();
});

it('gives a new tab the token of a signed-in tab, and none without one', async () => {
  const tab = tabs();
  const first = new TokenStore(storage(), tab());
  const second = new TokenStore(storage(), tab());
  expect(await second.ofAnotherTab()).toBeNull();
  first.set('pms_1');
  expect(await second.ofAnotherTab()).toBe('pms_1');
});
