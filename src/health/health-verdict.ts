// The verdict of `/health`, part by part, so that an alert can say which.
export const healthParts = [
  'database',
  'map_file',
  'master_socket',
  'workers',
  'runtime_map',
  'reload',
  'proxy',
  'version',
] as const;
export type HealthPart = (typeof healthParts)[number];

export const healthStatuses = ['ok', 'degraded', 'down'] as const;

export interface HealthVerdict {
  readonly status: (typeof healthStatuses)[number];
  /** Whether it is well; null: it could not be looked at in time. */
  readonly parts: Readonly<Record<HealthPart, boolean | null>>;
}
