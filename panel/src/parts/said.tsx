import { visibleText } from './visible-text.ts';

/** What somebody typed once (a reason, a source, a note): it cannot turn or hide the text around it. */
export function Said({ text }: { readonly text: string }) {
  return <bdi>{visibleText(text)}</bdi>;
}
