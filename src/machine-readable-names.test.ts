// Every name that clients may rely on. A change of the snapshot is a change of the interface.
import { join } from 'node:path';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { apiDocument } from '../testkit/http/api-document.ts';
import { auditedRoutes, routeAccess } from '../testkit/http/route-access.ts';
import { emitAll, metricsKit } from '../testkit/metrics/metrics-kit.ts';
import { printedReasons } from './cli/connection/failure-text.ts';
import { exitCodes } from './cli/failure.ts';
import { completeProgram } from './cli/man-page.ts';
import { catalogue } from './errors/catalogue.ts';
import { eventTypes } from './events/event-types.ts';
import { settingDefinitions } from './settings.ts';

/** Texts for people: the wording may change. */
const texts = new Set(['description', 'summary', 'example', 'examples', 'title', 'info', 'tags', 'externalDocs']);

/** Their members are names, even if called like a text. */
const holdsNames = new Set(['properties', 'paths', 'schemas', 'parameters', 'responses', 'headers', 'requestBodies']);

/** A line per value, by the path of names that leads to it; without the texts. */
function linesOf(value: unknown, path: readonly string[]): string[] {
  const line = (plain: unknown): string => `${path.join(' ')}: ${JSON.stringify(plain)}`;
  if (typeof value !== 'object' || value === null) return [line(value)];
  if (isPlainList(value)) return value.length > 12 ? value.map(line) : [line(value)];
  const isNames = holdsNames.has(path.at(-1) ?? '');
  const members = Object.entries(value).filter(([name]) => isNames || !texts.has(name));
  if (!Array.isArray(value)) members.sort(([one], [other]) => (one < other ? -1 : 1));
  return members.flatMap(([name, member]) => linesOf(member, [...path, name]));
}

function isPlainList(value: object): value is readonly unknown[] {
  return Array.isArray(value) && value.every((one) => typeof one !== 'object' || one === null);
}

async function metricLines(): Promise<string[]> {
  const kit = metricsKit();
  emitAll(kit);
  const lines = (await kit.metrics.scrape('prometheus')).split('\n');
  const types = lines.filter((line) => line.startsWith('# TYPE ')).map((line) => line.slice('# TYPE '.length));
  const labels = lines.flatMap((line) => {
    const [, name = '', found = ''] = /^(\w+)\{(.*)\} /.exec(line) ?? [];
    if (!name.startsWith('proxy_manager_')) return [];
    return [`${name}{${[...found.matchAll(/(\w+)="/g)].map(([, label]) => label).join(',')}}`];
  });
  return [...new Set([...types, ...labels])].sort();
}

interface VerbNames {
  readonly arguments: readonly string[];
  readonly options: readonly string[];
  readonly verbs: Readonly<Record<string, VerbNames>>;
}

function namesOf(verb: Command): VerbNames {
  return {
    arguments: verb.registeredArguments.map((one) => `${one.name()}${one.required ? '' : '?'}`),
    options: verb.options.map(({ flags }) => flags),
    verbs: Object.fromEntries(verb.commands.map((one) => [one.name(), namesOf(one)])),
  };
}

test('machine-readable names are unchanged', async () => {
  const names = {
    api: await apiDocument(),
    scopes: routeAccess,
    audit: auditedRoutes,
    errors: Object.fromEntries([...catalogue].map(([code, { message, ...error }]) => [code, error])),
    events: [...eventTypes].sort(),
    metrics: await metricLines(),
    settings: Object.fromEntries(settingDefinitions.map(({ variable, help, ...setting }) => [variable, setting])),
    exitCodes,
    callFailures: printedReasons,
    commandLine: namesOf(await completeProgram()),
  };
  const file = join(import.meta.dirname, '../testkit/golden/machine-readable-names.txt');
  await expect(`${linesOf(names, []).join('\n')}\n`).toMatchFileSnapshot(file);
});
