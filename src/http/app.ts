import type { Server } from 'node:http';
import fastify, {
  type FastifyHttpOptions,
  type FastifyInstance,
  type FastifyRequest,
  type RouteOptions,
} from 'fastify';
import { revokeKey } from '../api/keys.ts';
import { getMetrics } from '../api/metrics.ts';
import { operations } from '../api/operations.ts';
import { acmeRoutes } from './acme-routes.ts';
import { auditRoutes } from './audit-routes.ts';
import { authenticate } from './authentication.ts';
import { blockedIpsBulkRoutes } from './blocked-ips-bulk-routes.ts';
import { blockedIpsRoutes } from './blocked-ips-routes.ts';
import { blockedIpsSelectedRoutes } from './blocked-ips-selected-routes.ts';
import { parseJsonBodies, prepareForNoBody } from './bodies.ts';
import { addBounds, type Limits } from './bounds.ts';
import { certificatesRoutes } from './certificates-routes.ts';
import { addCompactReplies } from './compact-replies.ts';
import { configRoutes } from './config-routes.ts';
import { connectionLimit, readProcessLimits } from './connections.ts';
import { emitEnded, emitRejectedReads } from './ended-operations.ts';
import { answerBrokenConnection, sendError } from './error-replies.ts';
import type { StreamPace } from './event-stream.ts';
import { eventsRoutes } from './events-routes.ts';
import { FailureLimiter } from './failure-limiter.ts';
import { readQueryValues } from './handle.ts';
import { healthRoutes } from './health-routes.ts';
import { insightMapRoutes } from './insight-map-routes.ts';
import { insightRoutes } from './insight-routes.ts';
import { keysRoutes } from './keys-routes.ts';
import { compileOnFirstUse, schemaRules } from './lazy-compilers.ts';
import type { ListenOptions } from './listen-certificate.ts';
import { metricsRoutes } from './metrics-routes.ts';
import { noticesRoutes } from './notices-routes.ts';
import { openApiRoutes } from './openapi-routes.ts';
import { isPanelRoute } from './panel-pages.ts';
import { isUnknownPageVisit, panelRoutes, sendPage } from './panel-routes.ts';
import { methodNotAllowed, noSuchEndpoint } from './rejections.ts';
import { addRequestContext, pathOf } from './request-context.ts';
import { requestId } from './request-id.ts';
import { RequestLines } from './request-lines.ts';
import { requireScope } from './require-scope.ts';
import { RouteTable } from './route-table.ts';
import { commonHeaders } from './security-headers.ts';
import type { Services } from './services.ts';
import { sessionRoutes } from './session-routes.ts';
import { sitesRoutes } from './sites-routes.ts';
import { sourcesRoutes } from './sources-routes.ts';
import { StrictRequests } from './strict-requests.ts';
import { trustedIpsRoutes } from './trusted-ips-routes.ts';
import { undoRoutes } from './undo-routes.ts';
import { upstreamsRoutes } from './upstreams-routes.ts';
import { viewsRoutes } from './views-routes.ts';
import { webhooksRoutes } from './webhooks-routes.ts';

export interface AppOptions {
  /** The wall-clock time, for `expires_at`. */
  readonly now?: () => Date;
  /** Milliseconds, monotonic. */
  readonly monotonicNow?: () => number;
  readonly timeouts?: Partial<Timeouts>;
  readonly limits?: Partial<Limits>;
  readonly streams?: Partial<StreamPace>;
  /** Default false: `/metrics` needs a key. */
  readonly metricsOpen?: boolean;
  /** Absent: plain HTTP. */
  readonly tls?: ListenOptions;
  /** For tests. */
  readonly onRoute?: (route: RouteOptions) => void;
}

/** Milliseconds. */
interface Timeouts {
  /** Without a byte in either direction: longer than a reload with rollback (twice 60 s) and a sync of millions. */
  readonly connection: number;
  /** Until the TLS handshake is complete; Node's own limit is two minutes. */
  readonly handshake: number;
  /** Until the headers are complete. */
  readonly headers: number;
  /** Until the request is complete, including a `PUT` of millions over a slow line. */
  readonly request: number;
  /** Between two requests of a connection. */
  readonly keepAlive: number;
  /** For the rest of a body after the response. */
  readonly discardBody: number;
  /** The window in which a batch or a complete set must arrive with at least 1 KiB per second. */
  readonly bodyPace: number;
  /** Until any other body is complete. */
  readonly smallBody: number;
}

const TIMEOUTS: Timeouts = {
  connection: 600_000,
  handshake: 10_000,
  headers: 15_000,
  request: 600_000,
  keepAlive: 72_000,
  discardBody: 5_000,
  bodyPace: 30_000,
  smallBody: 30_000,
};

const STREAMS: StreamPace = { heartbeat: 15_000, keyCheck: 2_000, stalled: 60_000 };
/** 4,096 simultaneous requests of this size (`RequestLimit`) need 256 MiB. */
const SMALL_BODY_BYTES = 65_536;

export type App = FastifyInstance;

export function createApp(services: Services, options: AppOptions = {}): App {
  const timeouts = { ...TIMEOUTS, ...options.timeouts };
  const now = options.now ?? (() => new Date());
  const monotonicNow = options.monotonicNow ?? (() => performance.now());
  const server = {
    maxHeaderSize: 16_384,
    // NODE_OPTIONS cannot loosen it.
    insecureHTTPParser: false,
    // `addBounds` rejects such a request; Node's own error is not a problem document.
    requireHostHeader: false,
    headersTimeout: timeouts.headers,
    connectionsCheckingInterval: Math.min(timeouts.headers, 5000),
  };
  const https = options.tls === undefined ? null : { ...server, ...options.tls, handshakeTimeout: timeouts.handshake };
  const serverOptions: FastifyHttpOptions<Server> = {
    connectionTimeout: timeouts.connection,
    requestTimeout: timeouts.request,
    keepAliveTimeout: timeouts.keepAlive,
    bodyLimit: SMALL_BODY_BYTES,
    // During shutdown requests get a normal response with `Connection: close`.
    return503OnClosing: false,
    // The parser of the value has the better error message.
    routerOptions: { maxParamLength: 16_384 },
    // A test validates the schemas. Optimizing a validator takes longer than it saves: most are used seldom.
    ajv: { customOptions: { ...schemaRules, meta: false, validateSchema: false, code: { optimize: false } } },
    genReqId: requestId,
    frameworkErrors: (error, request, reply) => void sendError(error, request, reply, services.log),
    clientErrorHandler: (error, socket) => answerBrokenConnection(error, socket),
  };
  // The same API over both; the types of Fastify differ.
  const secured = { ...serverOptions, https } as unknown as FastifyHttpOptions<Server>;
  const app = fastify(https === null ? { ...serverOptions, http: server } : secured);
  // Any route with schemas for parameters and response.
  compileOnFirstUse(app, revokeKey.path);
  parseJsonBodies(app, timeouts.smallBody);
  if (options.onRoute !== undefined) app.addHook('onRoute', options.onRoute);
  const lines = new RequestLines(services.log);
  addRequestContext(app);
  // Before every hook that may reject a request: its log line has the duration.
  app.addHook('onRequest', (request, _reply, next) => {
    request.receivedAt = performance.now();
    next();
  });
  const connections = options.limits?.connections ?? connectionLimit(readProcessLimits());
  const boundAuthenticated = addBounds(app, { ...options.limits, connections }, timeouts.discardBody);
  addHooks(app, services, lines, { now, monotonicNow }, options.metricsOpen === true);
  addCompactReplies(app);
  boundAuthenticated();
  addErrorHandlers(app, services, lines);

  healthRoutes(app, services);
  blockedIpsRoutes(app, services, now);
  sourcesRoutes(app, services);
  undoRoutes(app, services);
  blockedIpsSelectedRoutes(app, services, now);
  blockedIpsBulkRoutes(app, services, now, timeouts.bodyPace);
  trustedIpsRoutes(app, services, now);
  upstreamsRoutes(app, services);
  sitesRoutes(app, services);
  certificatesRoutes(app, services);
  acmeRoutes(app, services);
  configRoutes(app, services);
  keysRoutes(app, services, now);
  auditRoutes(app, services);
  eventsRoutes(app, services, { pace: { ...STREAMS, ...options.streams }, connections });
  webhooksRoutes(app, services);
  insightRoutes(app, services);
  viewsRoutes(app, services);
  noticesRoutes(app, services);
  insightMapRoutes(app, services);
  metricsRoutes(app, services);
  openApiRoutes(app);
  sessionRoutes(app, services);
  panelRoutes(app, services);
  return app;
}

function addHooks(
  app: FastifyInstance,
  services: Services,
  lines: RequestLines,
  clocks: { readonly now: () => Date; readonly monotonicNow: () => number },
  metricsOpen: boolean,
): void {
  const limiter = new FailureLimiter(clocks.monotonicNow);
  const routes = new RouteTable();
  const strict = new StrictRequests();
  let closing = false;

  app.addHook('onRoute', (route) => {
    const methods = [route.method].flat();
    routes.add(route.url, methods);
    const { operation } = route.config ?? {};
    if (operation === undefined) {
      if (route.config?.open === true && isPanelRoute(route.url)) return;
      throw new Error(`${methods.join(', ')} ${route.url} is no operation: declare it in src/api, and use \`handle\``);
    }
    if (!operations.includes(operation)) throw new Error(`${operation.id} is missing in src/api/operations.ts`);
    const { audit, access } = operation;
    const open = access === 'open' || (metricsOpen && operation.id === getMetrics.id);
    route.config = { ...route.config, open };
    if (audit !== null) emitEnded(route, audit, services.operations, clocks.now);
    else if (!open) emitRejectedReads(route, services.operations, clocks.now);
    const querystring = route.schema?.querystring as object | undefined;
    if (querystring === undefined) return;
    const readQuery = (request: FastifyRequest) =>
      readQueryValues(request.query as Record<string, unknown>, querystring);
    route.preValidation = [async (request) => readQuery(request), ...[route.preValidation ?? []].flat()];
  });
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(commonHeaders(request.id));
    strict.check(request.raw, reply.raw);
    if (isUnknownPageVisit(request) && services.panel.page !== null)
      return sendPage(reply.code(404), services.panel.page);
    if (request.routeOptions.config?.open !== true) {
      const key = await authenticate(request, services, limiter);
      request.keyName = key.name;
      request.keyScopes = key.scopes;
      request.keySource = key.source ?? null;
      request.sessionEndsAt = key.sessionEndsAt;
    }
    const path = pathOf(request.url);
    if (request.is404 || routes.lacksMethod(path, request.method)) {
      const allow = routes.allowed(path);
      if (allow === null) throw noSuchEndpoint(request.method, path);
      reply.header('allow', allow);
      throw methodNotAllowed(request.method, path, allow);
    }
    const { access } = request.routeOptions.config.operation ?? {};
    if (access !== undefined && access !== 'open' && request.routeOptions.config.open !== true)
      requireScope(request, access);
    prepareForNoBody(request);
  });
  app.addHook('preClose', async () => {
    closing = true;
  });
  app.addHook('onClose', async () => lines.end());
  // During shutdown every connection ends with its current response.
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
  // Not reached, because a hook rejects such requests; every 404 has the same form anyway.
  app.setNotFoundHandler((request, reply) =>
    sendError(noSuchEndpoint(request.method, pathOf(request.url)), request, reply, services.log),
  );
}
