// All descriptions, of whatever file; what is said of one thing twice, or of nothing, is a mistake.

import { routeName } from '../../api/operation.ts';
import { operations } from '../../api/operations.ts';
import { ServerOptionsRequest } from '../../api/sites.ts';
import { isPanelRoute } from '../panel-pages.ts';
import * as blockedIps from './blocked-ips.ts';
import * as blockedIpsBulk from './blocked-ips-bulk.ts';
import * as description from './description.ts';
import * as events from './events.ts';
import * as health from './health.ts';
import * as metrics from './metrics.ts';
import type { FieldDocs, OperationDoc, OperationDocs } from './operation-doc.ts';
import * as shared from './shared-fields.ts';
import * as trustedIps from './trusted-ips.ts';

/** In the order of the page. */
const parts = [blockedIps, blockedIpsBulk, trustedIps, events, health, metrics, description];

export const operationDocs: OperationDocs = together([
  ...parts.map(({ operations }) => operations),
  Object.fromEntries(operations.map(({ body: _schema, ...doc }) => [routeName(doc), doc])),
]);
/** What a component is as a whole. */
export const modelDocs: FieldDocs = together([shared.models, ...parts.map(({ models }) => models)]);
export const fieldDocs: FieldDocs = together([shared.fields, ...parts.map(({ fields }) => fields)]);
/** Schemas that are judged by a parser of its own, by the title of what stands for them in the route. */
export const replacements: Readonly<Record<string, object>> = { ServerOptionsRequest };

/** @throws Error for a route that nobody described */
export function describeRoute(methods: readonly string[], url: string): OperationDoc | null {
  const names = methods.filter((method) => method !== 'HEAD').map((method) => `${method} ${url}`);
  const [name] = names;
  if (name === undefined || isPanelRoute(url)) return null;
  const doc = Object.hasOwn(operationDocs, name) ? operationDocs[name] : undefined;
  if (doc === undefined || names.length > 1)
    throw new Error(
      `${names.join(', ')} has no description in src/http/openapi: operation-doc.ts says how to write one`,
    );
  return doc;
}

function together<Value>(tables: readonly Readonly<Record<string, Value>>[]): Readonly<Record<string, Value>> {
  const all: Record<string, Value> = {};
  for (const [name, value] of tables.flatMap((table) => Object.entries(table))) {
    if (Object.hasOwn(all, name)) throw new Error(`${name} is described twice in src/http/openapi`);
    all[name] = value;
  }
  return all;
}
