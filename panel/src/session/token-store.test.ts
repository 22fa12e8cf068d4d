import { expect, it, vi } from 'vitest';
import { type TabChannel, TokenStore } from './token-store.ts';

function storage(items: Record<string, string> = {}): Storage & { readonly items: Record<string, string> } {
  return {
    items,
    getItem: (name: string) => items[name] ?? null,
    setItem: (name: string, value: string) => void Object.assign(items, { [name]: value }),
    removeItem: (name: string) => void delete items[name],
  } as never;
}

/** Connected channels, as of tabs with one origin; messages arrive when `deliver` is called. */
function tabs() {
  const listeners: ((event: { data: unknown }) => void)[] = [];
  const sent: (() => void)[] = [];
  const open = (): TabChannel => {
    const own: ((event: { data: unknown }) => void)[] = [];
    return {
      postMessage: (data) => {
        for (const listener of listeners) if (!own.includes(listener)) sent.push(() => listener({ data }));
      },
      addEventListener: (_, listener) => {
        own.push(listener);
        listeners.push(listener);
      },
    };
  };
  const deliver = (): void => {
    for (let message = sent.shift(); message !== undefined; message = sent.shift()) message();
  };
  return { open, deliver };
}

it('removes a key that an earlier version stored', () => {
  const kept = storage({ 'proxy-manager-key': 'pm_secret' });
  new TokenStore(kept, tabs().open());
  expect(kept.items).toEqual({});
});

it('keeps the token across a page reload until it is cleared', () => {
  const kept = storage();
  const { open } = tabs();
  new TokenStore(kept, open()).set('pms_1');
  const reloaded = new TokenStore(kept, open());
  expect(reloaded.token).toBe('pms_1');
  reloaded.clear();
  expect(new TokenStore(kept, open()).token).toBeNull();
});

it('gives a new tab the token of a signed-in tab, however late it responds', () => {
  const { open, deliver } = tabs();
  const first = new TokenStore(storage(), open());
  const kept = storage();
  const second = new TokenStore(kept, open());
  const received = vi.fn();
  first.set('pms_1');
  second.askTabs(received);
  expect(second.token).toBeNull();
  deliver();
  expect(second.token).toBe('pms_1');
  expect(received).toHaveBeenCalledTimes(1);
  expect(new TokenStore(kept, open()).token).toBe('pms_1');
});

it('accepts no token that it did not request, or after it got its own or lost it', () => {
  const { open, deliver } = tabs();
  const first = new TokenStore(storage(), open());
  const silent = new TokenStore(storage(), open());
  const signedIn = new TokenStore(storage(), open());
  const signedOut = new TokenStore(storage(), open());
  const received = vi.fn();
  first.set('pms_1');
  signedIn.askTabs(received);
  signedIn.set('pms_2');
  signedOut.askTabs(received);
  signedOut.clear();
  deliver();
  expect([silent.token, signedIn.token, signedOut.token]).toEqual([null, 'pms_2', null]);
  expect(received).not.toHaveBeenCalled();
});
