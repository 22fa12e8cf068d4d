import type { RealService, VisitOptions } from '../testkit/real-service.ts';

export interface VisitedFrontEnd {
  readonly name: string;
  readonly port: number;
  /** In TCP mode a denied client is disconnected; an allowed one stays connected. */
  readonly tcp: boolean;
}

/** Denied is 403 at every front end. */
export async function visitFrontEnd(
  service: RealService,
  { port, tcp }: VisitedFrontEnd,
  from: string,
  options: Pick<VisitOptions, 'agent' | 'headers'> = {},
): Promise<number> {
  const status = await service.visit(from, { ...options, port });
  return tcp && status === 0 ? 403 : status;
}
