// Reads the part of the Prometheus text format that the service writes: one sample per line, escaped label values.

export interface Metric {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const LINE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)/;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"/g;

export function readMetrics(text: string): Metric[] {
  const metrics: Metric[] = [];
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const [, name, labels = '', value = ''] = LINE.exec(line) ?? [];
    if (name === undefined) continue;
    metrics.push({ name, labels: readLabels(labels), value: Number(value) });
  }
  return metrics;
}

function readLabels(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  for (const [, name = '', value = ''] of text.matchAll(LABEL))
    labels[name] = value.replaceAll(/\\(.)/g, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped));
  return labels;
}
