import { Button } from '@mantine/core';
import { useEffect, useState } from 'react';
import classes from './copy-button.module.css';
import { CheckIcon, CopyIcon } from './icons.tsx';

interface CopyButtonProps {
  readonly text: string;
  readonly label?: string;
  readonly size?: string;
}

/** Reports the outcome: browsers may refuse, and offer no clipboard over plain HTTP except on localhost. */
export function CopyButton({ text, label = 'Copy', size = 'sm' }: CopyButtonProps) {
  const [outcome, setOutcome] = useState<'copied' | 'failed' | null>(null);
  useEffect(() => {
    if (outcome === null) return;
    const timer = setTimeout(() => setOutcome(null), 3_000);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = async (event: React.MouseEvent<HTMLButtonElement>): Promise<void> => {
    const parent = event.currentTarget.parentElement ?? document.body;
    setOutcome((await copyText(text, parent)) ? 'copied' : 'failed');
  };
  return (
    <Button
      variant="default"
      size={size}
      leftSection={outcome === 'copied' ? <CheckIcon size={16} /> : <CopyIcon size={16} />}
      onClick={(event) => void copy(event)}
      aria-live="polite"
    >
      {outcome === null ? label : outcome === 'copied' ? 'Copied' : 'Copying is blocked: select the text and copy it'}
    </Button>
  );
}

async function copyText(text: string, parent: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // No clipboard here, or no permission: the older command needs neither.
    return copyByCommand(text, parent);
  }
}

/** Inside `parent`: a dialog takes the focus back from any other element. */
function copyByCommand(text: string, parent: HTMLElement): boolean {
  const field = document.createElement('textarea');
  field.value = text;
  field.setAttribute('aria-hidden', 'true');
  field.className = classes.outOfSight ?? '';
  parent.append(field);
  field.select();
  try {
    return document.execCommand('copy');
  } finally {
    field.remove();
  }
}
