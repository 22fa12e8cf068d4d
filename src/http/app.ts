// The HTTP service, apart from listening: limits, hooks and the routes of every resource.

import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import fastify, { type FastifyInstance, type RouteOptions } from 'fastify';
import { auditRoutes } from './audit-routes.ts';
import { operationOf, tellAudit, tellRefusedLooks } from './audited-routes.ts';
import { authenticate } from './authentication.ts';
import { blockedIpsBulkRoutes } from './blocked-ips-bulk-routes.ts';
import { blockedIpsRoutes } from './blocked-ips-routes.ts';
import { prepareForNoBody, takeJsonBodies } from './bodies.ts';
import { addBounds, type Limits } from './bounds.ts';
import { configRoutes } from './config-routes.ts';
import { connectionLimit, readProcessLimits } from './connection-limit.ts';
import { answerBrokenConnection, sendError } from './error-replies.ts';
import type { StreamPace } from './event-stream.ts';
import { eventsRoutes } from './events-routes.ts';
import { FailureLimiter } from './failure-limiter.ts';
import { healthRoutes } from './health-routes.ts';
import { keysRoutes } from './keys-routes.ts';
import { compileLate } from './late-compilers.ts';
import { metricsRoutes } from './metrics-routes.ts';
import { ApiDescription, openApiRoutes } from './openapi-routes.ts';
import { isLostVisit, panelRoutes, sendPage } from './panel-routes.ts';
import { pathOf } from './path-of.ts';
import { readQueryValues } from './query-values.ts';
import { methodNotAllowed, noSuchEndpoint } from './refusals.ts';
import { requestId } from './request-id.ts';
import { RequestLines } from './request-lines.ts';
import { accessOf, requireScope, routesOpenedBy } from './route-access.ts';
import { RouteTable } from './route-table.ts';
import { schemaRules } from './schema-rules.ts';
import { commonHeaders } from './security-headers.ts';
import type { Services } from './services.ts';
import { sessionRoutes } from './session-routes.ts';
import { sitesRoutes } from './sites-routes.ts';
import { StrictRequests } from './strict-requests.ts';
import { trustedIpsRoutes } from './trusted-ips-routes.ts';
import { webhooksRoutes } from './webhooks-routes.ts';
import './request-context.ts';

export interface AppOptions {
  /** The time by the calendar, for `expires_at`. */
  readonly now?: () => Date;
  /** Milliseconds of a clock that never goes back. */
  readonly monotonicNow?: () => number;
  readonly timeouts?: Partial<Timeouts>;
  readonly limits?: Partial<Limits>;
  readonly streams?: Partial<StreamPace>;
  /** `/metrics` asks for no key. Default false. */
  readonly metricsOpen?: boolean;
  /** Told of every route with its schemas; for tests that must forget none. */
  readonly onRoute?: (route: RouteOptions) => void;
}

/** Milliseconds. */
export interface Timeouts {
  /** Without a byte either way. Longer than a reload with its rollback (twice 60 s) and a sync of millions. */
  readonly connection: number;
  /** For the headers to come. */
  readonly headers: number;
  /** For the whole request to come, a `PUT` of millions over a slow line included. */
  readonly request: number;
  /** For the next request of a connection. */
  readonly keepAlive: number;
  /** For what is left of a body after its request was answered. */
  readonly leftOver: number;
  /** Over which the body of a large batch or a whole set has to come with 1 KiB a second. */
  readonly bodyPace: number;
  /** In which every other body has to come whole. */
  readonly smallBody: number;
}

const TIMEOUTS: Timeouts = {
  connection: 600_000,
  headers: 15_000,
  request: 600_000,
  keepAlive: 72_000,
  leftOver: 5_000,
  bodyPace: 30_000,
  smallBody: 30_000,
};

const STREAMS: StreamPace = { heartbeat: 15_000, keyCheck: 2_000, stalled: 60_000 };
/** One small object: as many at once as may be under way (`RequestLimit`) are 256 MiB. A route that takes more says so. */
const SMALL_BODY_BYTES = 65_536;

export type App = FastifyInstance;
/** The form in which every routes file sees the application. */
export type TypedApp = ReturnType<typeof typed>;

export function createApp(services: Services, options: AppOptions = {}): App {
  const timeouts = { ...TIMEOUTS, ...options.timeouts };
  const now = options.now ?? (() => new Date());
  const monotonicNow = options.monotonicNow ?? (() => performance.now());
  const app = fastify({
    http: {
      maxHeaderSize: 16_384,
      // Said outright: an option of Node's own, or of NODE_OPTIONS, must not loosen it.
      insecureHTTPParser: false,
      // Node's own refusal would be no problem document; `addBounds` makes it.
      requireHostHeader: false,
      headersTimeout: timeouts.headers,
      connectionsCheckingInterval: Math.min(timeouts.headers, 5000),
    },
    connectionTimeout: timeouts.connection,
    requestTimeout: timeouts.request,
    keepAliveTimeout: timeouts.keepAlive,
    bodyLimit: SMALL_BODY_BYTES,
    // A request that comes while the service closes is answered like any other; `Connection: close` goes with it.
    return503OnClosing: false,
    // The parser of the value says what is wrong with it; the headers' size bounds it.
    routerOptions: { maxParamLength: 16_384 },
    // The schemas are what they were when they were tested.
    ajv: { customOptions: { ...schemaRules, validateSchema: false } },
    genReqId: requestId,
    frameworkErrors: (error, request, reply) => void sendError(error, request, reply, services.log),
    clientErrorHandler: (error, socket) => answerBrokenConnection(error, socket),
  });
  compileLate(app, '/api/keys/:name');
  takeJsonBodies(app, timeouts.smallBody);
  if (options.onRoute !== undefined) app.addHook('onRoute', options.onRoute);
  const lines = new RequestLines(services.log);
  // Before whatever may refuse a request: its line says how long it took.
  app.decorateRequest('receivedAt', 0);
  app.addHook('onRequest', (request, _reply, next) => {
    request.receivedAt = performance.now();
    next();
  });
  const connections = options.limits?.connections ?? connectionLimit(readProcessLimits());
  const boundAuthenticated = addBounds(app, { ...options.limits, connections }, timeouts.leftOver);
  const description = new ApiDescription();
  const opened = routesOpenedBy({ metricsOpen: options.metricsOpen === true });
  addHooks(app, services, lines, { now, monotonicNow }, opened);
  app.addHook('onRoute', (route) => description.add(route));
  boundAuthenticated();
  addErrorHandlers(app, services, lines);

  const typedApp = typed(app);
  healthRoutes(typedApp, services);
  blockedIpsRoutes(typedApp, services, now);
  blockedIpsBulkRoutes(typedApp, services, now, timeouts.bodyPace);
  trustedIpsRoutes(typedApp, services, now);
  sitesRoutes(typedApp, services);
  configRoutes(typedApp, services);
  keysRoutes(typedApp, services, now);
  auditRoutes(typedApp, services);
  eventsRoutes(typedApp, services, { pace: { ...STREAMS, ...options.streams }, connections });
  webhooksRoutes(typedApp, services);
  metricsRoutes(typedApp, services);
  openApiRoutes(typedApp, description);
  sessionRoutes(typedApp, services);
  panelRoutes(typedApp, services);
  return app;
}

function typed(app: FastifyInstance) {
  return app.withTypeProvider<TypeBoxTypeProvider>();
}

function addHooks(
  app: FastifyInstance,
  services: Services,
  lines: RequestLines,
  clocks: { readonly now: () => Date; readonly monotonicNow: () => number },
  opened: ReadonlySet<string>,
): void {
  const limiter = new FailureLimiter(clocks.monotonicNow);
  const routes = new RouteTable();
  const strict = new StrictRequests();
  let closing = false;

  app.decorateRequest('keyName', '');
  app.decorateRequest('keyScopes', null);
  app.decorateRequest('sessionEndsAt', null);
  app.decorateRequest('toldOfFailure', false);
  app.decorateRequest('auditRows', null);
  app.decorateRequest('answered', null);
  app.decorateRequest('failure', null);
  app.addHook('onRoute', (route) => {
    const methods = [route.method].flat();
    routes.add(route.url, methods);
    const access = accessOf(methods, route.url, opened);
    route.config = { ...route.config, ...(access === 'open' ? { open: true } : { scope: access }) };
    const operation = operationOf(methods, route.url);
    if (operation !== null) tellAudit(route, operation, services.audit, clocks.now);
    else if (access !== 'open') tellRefusedLooks(route, services.audit, clocks.now);
    const querystring = route.schema?.querystring as object | undefined;
    if (querystring === undefined) return;
    route.preValidation = (request, _reply, done) => {
      readQueryValues(request.query as Record<string, unknown>, querystring);
      done();
    };
  });
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(commonHeaders(request.id));
    strict.check(request.raw, reply.raw);
    if (isLostVisit(request) && services.panel.page !== null) return sendPage(reply.code(404), services.panel.page);
    if (request.routeOptions.config?.open !== true) {
      const key = await authenticate(request, services, limiter);
      request.keyName = key.name;
      request.keyScopes = key.scopes;
      request.sessionEndsAt = key.sessionEndsAt;
    }
    const path = pathOf(request.url);
    if (request.is404 || routes.misses(path, request.method)) {
      const allow = routes.allowed(path);
      if (allow === null) throw noSuchEndpoint(request.method, path);
      reply.header('allow', allow);
      throw methodNotAllowed(request.method, path, allow);
    }
    const { scope } = request.routeOptions.config;
    if (scope !== undefined) requireScope(request, scope);
    prepareForNoBody(request);
  });
  app.addHook('preClose', async () => {
    closing = true;
  });
  app.addHook('onClose', async () => lines.end());
  // What is under way when the service closes is answered, and its connection goes with the answer.
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (closing) reply.header('connection', 'close');
    done(null, payload);
  });
  app.addHook('onResponse', (request, reply, done) => {
    done();
    const milliseconds = performance.now() - request.receivedAt;
    services.metrics.answered(request.method, request.routeOptions.url ?? null, reply.statusCode, milliseconds);
    lines.answered(request, reply.statusCode, milliseconds);
  });
}

function addErrorHandlers(app: FastifyInstance, services: Services, lines: RequestLines): void {
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply, lines.failureLog(request)));
  // Never reached: the hook has refused the request already. Kept so that no other 404 form can ever leave.
  app.setNotFoundHandler((request, reply) =>
    sendError(noSuchEndpoint(request.method, pathOf(request.url)), request, reply, services.log),
  );
}
