// The registry as text. The library's OpenMetrics output renames its counters permanently (registry.js, `metrics()`),
// so it always writes the older format, which is converted to OpenMetrics here.

import type { Registry } from '@prometheus-io/client';
import { yieldToLoop } from '../concurrency/pause.ts';

/** A metric with a thousand sites takes some milliseconds; other requests run between two metrics. */
export async function expositionOf(registry: Registry): Promise<string> {
  const parts: string[] = [];
  for (const { name } of registry.getMetricsAsArray()) {
    parts.push(await registry.getSingleMetricAsString(name));
    await yieldToLoop();
  }
  return `${parts.join('\n')}\n`;
}

/**
 * A counter's family loses `_total`, which its samples keep, and the text gets an end mark. Our help texts contain no
 * quote, the one character that the two formats escape differently.
 */
export function asOpenMetrics(text: string): string {
  return `${text.replaceAll(/(^# HELP (\S+)_total .*\n# TYPE )\2_total counter$/gm, counterHead)}# EOF\n`;
}

function counterHead(_all: string, head: string, family: string): string {
  return `${head.replace(`${family}_total`, family)}${family} counter`;
}
