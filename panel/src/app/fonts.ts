// The panel's own fonts: the same figures and addresses on every machine. They are as large as a third of the first load,
// so they are fetched when the page has been shown, and used from the next visit on: text does not move while it is read.

import sans from '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2';
import mono from '@fontsource-variable/jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2';

export const fontFamilies = { sans: 'Inter', mono: 'JetBrains Mono' } as const;

/** The files that the browser's cache has. */
const stored = 'proxy-manager-fonts';
const files = `${sans} ${mono}`;
/** After the page, and the pages that it loads in advance; milliseconds. */
const fetchAfterMs = 6_000;

/** Without them, the fonts of the system are used. */
export function loadOwnFonts(): void {
  const faces = [
    new FontFace(fontFamilies.sans, `url(${sans})`, { weight: '100 900' }),
    new FontFace(fontFamilies.mono, `url(${mono})`, { weight: '100 800' }),
  ];
  const load = async (): Promise<void> => {
    await Promise.all(faces.map((face) => face.load()));
    window.localStorage.setItem(stored, files);
  };
  if (window.localStorage.getItem(stored) === files) {
    for (const face of faces) document.fonts.add(face);
    void load().catch(forget);
    return;
  }
  // If this fails, the next visit tries again.
  setTimeout(() => void load().catch(() => undefined), fetchAfterMs);
}

/** The browser's cache does not have them any more, and the service did not answer. */
function forget(): void {
  window.localStorage.removeItem(stored);
}
