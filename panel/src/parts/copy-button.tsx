import { Button } from '@mantine/core';
import { useEffect, useState } from 'react';
import classes from './copy-button.module.css';
import { CheckIcon, CopyIcon } from './icons.tsx';

export interface CopyButtonProps {
  readonly text: string;
  readonly label?: string;
  readonly size?: string;
}

/** Says what came of it: a browser may refuse, and over plain HTTP from another machine it has no clipboard to give. */
export function CopyButton({ text, label = 'Copy', size = 'sm' }: CopyButtonProps) {
  const [outcome, setOutcome] = useState<'copied' | 'refused' | null>(null);
  useEffect(() => {
    if (outcome === null) return;
    const timer = setTimeout(() => setOutcome(null), 3_000);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = async (event: React.MouseEvent<HTMLButtonElement>): Promise<void> => {
    const place = event.currentTarget.parentElement ?? document.body;
    setOutcome((await copied(text, place)) ? 'copied' : 'refused');
  };
  return (
    <Button
      variant="default"
      size={size}
      leftSection={outcome === 'copied' ? <CheckIcon size={16} /> : <CopyIcon size={16} />}
      onClick={(event) => void copy(event)}
      aria-live="polite"
    >
      {outcome === null ? label : outcome === 'copied' ? 'Copied' : 'The browser refused: select it and copy it'}
    </Button>
  );
}

async function copied(text: string, place: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copiedTheOldWay(text, place);
  }
}

/** Inside `place`: a dialog takes the focus back from anywhere else. */
function copiedTheOldWay(text: string, place: HTMLElement): boolean {
  const field = document.createElement('textarea');
  field.value = text;
  field.setAttribute('aria-hidden', 'true');
  field.className = classes.outOfSight ?? '';
  place.append(field);
  field.select();
  try {
    return document.execCommand('copy');
  } finally {
    field.remove();
  }
}
