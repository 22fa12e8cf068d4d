// How old something is, kept up to date while it is looked at.
import { Text, type TextProps } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useSession } from '../session/session.ts';

/** The browser's time, every `period` milliseconds: for how old an answer is. Times of the service: `useServiceNow`. */
export function useNow(period = 1_000): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), period);
    return () => clearInterval(timer);
  }, [period]);
  return now;
}

/** The service's time, every `period` milliseconds. */
export function useServiceNow(period = 1_000): number {
  const { clock } = useSession();
  const [now, setNow] = useState(() => clock.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(clock.now()), period);
    return () => clearInterval(timer);
  }, [clock, period]);
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
  const now = useServiceNow(5_000);
  return <span title={momentText(time)}>{spanText(now - Date.parse(time))}</span>;
}

/** "12 min ago". What has happened is never told as yet to come, however the clocks differ. */
export function pastText(at: number, now: number): string {
  return `${spanText(Math.max(0, now - at))} ago`;
}

/** "in 4 h", or "12 min ago" where it is over. */
export function endText(at: number, now: number): string {
  return at > now ? `in ${spanText(at - now)}` : pastText(at, now);
}

export interface MomentProps extends TextProps {
  /** As the service tells it. */
  readonly time: string;
}

/** How long ago something happened, with the whole time when pointed at. */
export function Age({ time, ...props }: MomentProps) {
  const now = useServiceNow(5_000);
  return <Moment time={time} text={pastText(Date.parse(time), now)} {...props} />;
}

/** When something ends, or how long ago it ended. */
export function End({ time, ...props }: MomentProps) {
  const now = useServiceNow(5_000);
  return <Moment time={time} text={endText(Date.parse(time), now)} {...props} />;
}

function Moment({ time, text, ...props }: MomentProps & { readonly text: string }) {
  return (
    <Text span inherit {...props} title={momentText(time)}>
      {text}
    </Text>
  );
}
