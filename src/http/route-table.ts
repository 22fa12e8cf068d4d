// Fastify's router cannot list the methods of a path for the `Allow` header.
interface Route {
  readonly pattern: RegExp;
  readonly methods: Set<string>;
  readonly isStatic: boolean;
}

export class RouteTable {
  readonly #routes = new Map<string, Route>();

  /** @param url as it was registered, `/api/sites/:domain/servers` */
  add(url: string, methods: readonly string[]): void {
    const route = this.#routes.get(url) ?? {
      pattern: new RegExp(`^${url.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(/:[a-z_]+/g, '[^/]+')}$`),
      methods: new Set<string>(),
      isStatic: !url.includes(':'),
    };
    for (const method of methods) route.methods.add(method);
    this.#routes.set(url, route);
  }

  /** Null: unknown path. A literal path is never the parameter of another (`/api/blocked-ips/batch` is no address). */
  allowed(path: string): string | null {
    const exact = this.#routes.get(path);
    const found =
      exact?.isStatic === true ? [exact] : [...this.#routes.values()].filter(({ pattern }) => pattern.test(path));
    const methods = new Set(found.flatMap((route) => [...route.methods]));
    return methods.size === 0 ? null : [...methods].sort().join(', ');
  }

  /** Registered literally, but not for `method`. */
  lacksMethod(path: string, method: string): boolean {
    const exact = this.#routes.get(path);
    return exact?.isStatic === true && !exact.methods.has(method);
  }
}
