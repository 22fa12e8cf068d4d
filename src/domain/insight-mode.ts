export const insightModes = ['on', 'denied', 'off'] as const;

/** Of whom HAProxy counts requests: of all clients, of blocked ones only, or of none. */
export type InsightMode = (typeof insightModes)[number];
