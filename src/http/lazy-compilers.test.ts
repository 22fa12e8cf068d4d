import fastify, { type RouteOptions } from 'fastify';
import { expect, test } from 'vitest';
import { stubApp } from '../../testkit/http/stub-services.ts';
import { compileOnFirstUse, schemaRules } from './lazy-compilers.ts';

test('every schema of every route is valid and can be compiled', async () => {
  const routes: RouteOptions[] = [];
  await stubApp({}, { onRoute: (route) => routes.push({ ...route }) }).app.ready();
  const described = routes.filter(({ method, schema }) => method !== 'HEAD' && schema !== undefined);
  expect(described.length).toBeGreaterThan(30);
  // Fastify's default compiles all at the start, in strict mode.
  const app = fastify({ ajv: { customOptions: schemaRules }, exposeHeadRoutes: false });
  for (const { method, url, schema } of described) app.route({ method, url, schema: schema!, handler: () => '' });
  await app.ready();
  await app.close();
});

function lateApp() {
  const looks = { params: 0, answer: 0 };
  const params = {
    type: 'object',
    get properties() {
      looks.params += 1;
      return { name: { type: 'string', maxLength: 3, pattern: '^[a-z]*$' } };
    },
  };
  const answer = {
    type: 'object',
    get properties() {
      looks.answer += 1;
      return { name: { type: 'string' } };
    },
  };
  const app = fastify();
  compileOnFirstUse(app, '/first/:name');
  app.setErrorHandler<Error & { validation?: unknown[] }>((error, _request, reply) =>
    reply.code(400).send({ wrong: error.message, count: error.validation?.length }),
  );
  const first = { params: { type: 'object' }, response: { 200: { type: 'object' } } };
  app.get('/first/:name', { schema: first }, () => ({}));
  const schema = { params, response: { 200: answer } };
  for (const url of ['/one/:name', '/other/:name']) {
    app.get(url, { schema }, ({ params }) => ({ ...(params as object), secret: 1 }));
  }
  return { app, looks, get: async (path: string) => (await app.inject(path)).body };
}

test('a schema is compiled on first use, once for all routes', async () => {
  const { app, looks, get } = lateApp();
  await app.ready();
  expect(looks).toEqual({ params: 0, answer: 0 });
  expect(await get('/one/abc')).toBe('{"name":"abc"}');
  const { params, answer } = looks;
  expect(params).toBeGreaterThan(0);
  expect(answer).toBeGreaterThan(0);
  expect(await get('/one/abc')).toBe('{"name":"abc"}');
  expect(await get('/other/abc')).toBe('{"name":"abc"}');
  expect(looks).toEqual({ params, answer });
  await app.close();
});

test('each rejection has its own reason, on both routes', async () => {
  const { app, get } = lateApp();
  const wrong = '{"wrong":"params/name must NOT have more than 3 characters","count":1}';
  expect(await get('/one/abcd')).toBe(wrong);
  expect(await get('/one/abc')).toBe('{"name":"abc"}');
  expect(await get('/other/abcd')).toBe(wrong);
  expect(await get('/one/ab1')).toBe('{"wrong":"params/name must match pattern \\"^[a-z]*$\\"","count":1}');
  expect(await get('/one/abcd')).toBe(wrong);
  await app.close();
});
