import { notifications } from '@mantine/notifications';
import { cleanup, configure } from '@testing-library/react';
import { afterEach, vi } from 'vitest';

// Ends only a test that is stuck: its condition never holds.
configure({
  asyncUtilTimeout: 60_000,
  // Whether an element is visible costs a computed style for each of its ancestors: a quarter of the time of these tests.
  defaultHidden: true,
});

afterEach(() => {
  cleanup();
  notifications.clean();
  sessionStorage.clear();
  vi.unstubAllGlobals();
});

// happy-dom has no font loading, which Mantine's Textarea waits for.
Object.defineProperty(document, 'fonts', { value: new EventTarget(), configurable: true });
