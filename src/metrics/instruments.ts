// Creates metrics in a registry that is passed in; the library's global state is not used.
import { Counter, Gauge, Histogram, type Registry } from '@prometheus-io/client';

const PREFIX = 'proxy_manager_';

export class Instruments {
  readonly registry: Registry;
  readonly #prefix: string;

  /** @param prefix `` only for names shared by all processes */
  constructor(registry: Registry, prefix: string = PREFIX) {
    this.registry = registry;
    this.#prefix = prefix;
  }

  counter<T extends string = never>(name: string, help: string, labelNames: readonly T[] = []): Counter<T> {
    return new Counter({ ...this.#common(name, help), labelNames });
  }

  gauge<T extends string = never>(name: string, help: string, labelNames: readonly T[] = []): Gauge<T> {
    return new Gauge({ ...this.#common(name, help), labelNames });
  }

  /** @param buckets upper bounds, ascending */
  histogram<T extends string = never>(
    name: string,
    help: string,
    buckets: readonly number[],
    labelNames: readonly T[] = [],
  ): Histogram<T> {
    return new Histogram({ ...this.#common(name, help), buckets: [...buckets], labelNames });
  }

  #common(name: string, help: string) {
    return { name: `${this.#prefix}${name}`, help, registers: [this.registry] };
  }
}

/** A gauge without labels whose value may be unknown: it is absent then, never 0. */
export class OptionalGauge {
  readonly #gauge: Gauge;

  constructor(instruments: Instruments, name: string, help: string) {
    this.#gauge = instruments.gauge(name, help);
    this.set(null);
  }

  set(value: number | null): void {
    if (value === null) this.#gauge.remove();
    else this.#gauge.set(value);
  }
}

/** One series per name, looked up once: label lookup would slow down each block. */
export function seriesTable<K extends string, V>(names: readonly K[], make: (name: K) => V): Readonly<Record<K, V>> {
  return Object.fromEntries(names.map((name) => [name, make(name)])) as Record<K, V>;
}
