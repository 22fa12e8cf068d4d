// The panel's own fonts: the same figures and addresses on every machine. They are as large as a third of the first load,
// so a page with figures does not wait for them: a sign-in form needs little else and fetches them, and later visits have
// them in the browser's cache.

import sans from '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2';
import mono from '@fontsource-variable/jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2';

export const fontFamilies = { sans: 'Inter', mono: 'JetBrains Mono' } as const;

/** The files that the browser's cache has. */
const stored = 'proxy-manager-fonts';
const files = `${sans} ${mono}`;
/** After the page, and the pages that it loads in advance; milliseconds. */
const fetchAfterMs = 6_000;

/** Without them, the fonts of the system are used. @param signsIn the sign-in form is about to be shown */
export function loadOwnFonts(signsIn: boolean): void {
  const isStored = window.localStorage.getItem(stored) === files;
  // From the cache they come before the text; else the form is not without words meanwhile.
  const display = isStored ? 'auto' : 'swap';
  const faces = [
    new FontFace(fontFamilies.sans, `url(${sans})`, { weight: '100 900', display }),
    new FontFace(fontFamilies.mono, `url(${mono})`, { weight: '100 800', display }),
  ];
  const load = async (): Promise<void> => {
    await Promise.all(faces.map((face) => face.load()));
    window.localStorage.setItem(stored, files);
  };
  if (isStored || signsIn) {
    for (const face of faces) document.fonts.add(face);
    void load().catch(forget);
    return;
  }
  // Not applied: text would move while it is read. If this fails, the next visit tries again.
  setTimeout(() => void load().catch(() => undefined), fetchAfterMs);
}

/** The browser's cache does not have them any more, and the service did not answer. */
function forget(): void {
  window.localStorage.removeItem(stored);
}
