import { visibleText } from './visible-text.ts';

/** Text that a user entered (reason, source, note), isolated so that it cannot reorder or hide the text around it. */
export function UserText({ text }: { readonly text: string }) {
  return <bdi>{visibleText(text)}</bdi>;
}
