// Runs before each file of component tests.
import { notifications } from '@mantine/notifications';
import { cleanup } from '@testing-library/react';
import { afterEach, vi } from 'vitest';

afterEach(() => {
  cleanup();
  notifications.clean();
  sessionStorage.clear();
  vi.unstubAllGlobals();
});

// happy-dom has no font loading, which Mantine's Textarea waits for.
Object.defineProperty(document, 'fonts', { value: new EventTarget(), configurable: true });
