// How old something is, kept up to date while it is looked at.
import { Text, type TextProps } from '@mantine/core';
import { useEffect, useState } from 'react';

/** The time, every `period` milliseconds. */
export function useNow(period = 1_000): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), period);
    return () => clearInterval(timer);
  }, [period]);
  return now;
}

/** Such as "3 s", "12 min", "4 h", "9 days". */
export function spanText(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1_000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  if (hours < 48) return `${hours} h`;
  const days = Math.round(hours / 24);
  return days < 730 ? `${days} days` : `${Math.round(days / 365)} years`;
}

export function momentText(time: string | number): string {
  return new Date(time).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
}

/** "12 min": how long it has been so by now. */
export function SpanSince({ time }: { readonly time: string }) {
  const now = useNow(5_000);
  return <span title={momentText(time)}>{spanText(now - Date.parse(time))}</span>;
}

/** "12 min ago" or "in 4 h", with the whole time when pointed at. */
export function Age({ time, ...props }: { readonly time: string | number } & TextProps) {
  const now = useNow(5_000);
  const at = typeof time === 'number' ? time : Date.parse(time);
  const text = at > now ? `in ${spanText(at - now)}` : `${spanText(now - at)} ago`;
  return (
    <Text span inherit {...props} title={momentText(at)}>
      {text}
    </Text>
  );
}
