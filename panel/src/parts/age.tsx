import { Text, type TextProps } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useSession } from '../session/session.ts';
import { withUnit } from './figures.ts';
import { momentTitle } from './times.ts';

/** The browser's time, for the age of responses. For times of the service: `useServiceNow`. */
export function useNow(period = 1_000): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), period);
    return () => clearInterval(timer);
  }, [period]);
  return now;
}

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
  if (seconds < 60) return withUnit(seconds, 's');
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return withUnit(minutes, 'min');
  const hours = Math.round(minutes / 60);
  if (hours < 48) return withUnit(hours, 'h');
  const days = Math.round(hours / 24);
  return days < 730 ? withUnit(days, 'days') : withUnit(Math.round(days / 365), 'years');
}

export function SpanSince({ time }: { readonly time: string }) {
  const now = useServiceNow(5_000);
  return <span title={momentTitle(time)}>{spanText(now - Date.parse(time))}</span>;
}

/** "12 min ago"; never in the future, whatever the difference of clocks. */
export function pastText(at: number, now: number): string {
  return `${spanText(Math.max(0, now - at))} ago`;
}

export function endText(at: number, now: number): string {
  return at > now ? `in ${spanText(at - now)}` : pastText(at, now);
}

interface MomentProps extends TextProps {
  readonly time: string;
}

export function Age({ time, ...props }: MomentProps) {
  const now = useServiceNow(5_000);
  return <Moment time={time} text={pastText(Date.parse(time), now)} {...props} />;
}

export function End({ time, ...props }: MomentProps) {
  const now = useServiceNow(5_000);
  return <Moment time={time} text={endText(Date.parse(time), now)} {...props} />;
}

function Moment({ time, text, ...props }: MomentProps & { readonly text: string }) {
  return (
    <Text span inherit {...props} title={momentTitle(time)}>
      {text}
    </Text>
  );
}

export function elapsedText(milliseconds: number): string {
  return milliseconds < 1_000
    ? withUnit(Math.round(milliseconds), 'ms')
    : withUnit((milliseconds / 1_000).toFixed(1), 's');
}
