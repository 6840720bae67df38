import { InvariantViolation, invariant } from '../base/invariant.ts'
import type { Result } from '../base/result.ts'
import { hideUuids } from '../base/uuid.ts'
import { bodyBytesMax, type HttpHeaders, type HttpRequest, type HttpResponse } from '../env/http.ts'
import { endpointText } from '../env/net.ts'
import type { HttpMethod, QueryParameters, RouteRequest, RouteResponse } from '../features/contract/route.ts'
import type { WithEnv, WithRelease } from '../features/contract/surroundings.ts'
import { parameter } from '../features/http/declared.ts'
import { failureText } from '../model/failure.ts'
import { hasBehaviour } from '../model/release.ts'
import type { ResponseEncoder } from './encode-response.ts'
import { failureStatus } from './failure-status.ts'
import { requestToken } from './header-names.ts'
import { loggableTarget } from './loggable-target.ts'
import type { MountedRoute } from './route-table.ts'

/** What the HTTP interface itself needs of the context that it passes to the routes. */
export type FaceContext = WithEnv & WithRelease

export interface RouteCallOptions<Context> {
  readonly context: Context
  readonly encoder: ResponseEncoder
  /** Request headers that may carry a token, the product's own first. */
  readonly tokenHeaders: readonly [string, ...string[]]
  readonly blockedPrefixes: readonly string[]
  readonly pretty: boolean
  /** The secret that replaces the one in a request; absent: the request's own secret is used. */
  readonly actingToken?: ((secret: string) => string) | undefined
  readonly onFatal: ((violation: InvariantViolation) => void) | undefined
}

/** A target with a known route. `path` and `rest` are decoded; the error of `query` is a line for the caller. */
export interface RoutedTarget<Context> {
  readonly mounted: MountedRoute<Context>
  readonly path: string
  readonly rest: string
  readonly query: Result<QueryParameters, string>
}

interface RoutedRequest<Context> extends RoutedTarget<Context> {
  readonly request: HttpRequest
}

/** For every answer in JSON. */
export const prettyParameter = parameter('pretty', 'presence', 'JSON with line breaks and indentation.')

/** Everything that happens to a request once its route is found. */
export class RouteCaller<Context extends FaceContext> {
  readonly #options: RouteCallOptions<Context>
  readonly #verbsEnforced: boolean
  readonly #optionsAnswered: boolean
  readonly #requestsTimed: boolean

  constructor(options: RouteCallOptions<Context>) {
    this.#options = options
    this.#verbsEnforced = hasBehaviour(options.context.release, 'verbs-enforced')
    this.#optionsAnswered = hasBehaviour(options.context.release, 'options-answered')
    this.#requestsTimed = hasBehaviour(options.context.release, 'requests-timed')
  }

  async call({ mounted, path, rest, query }: RoutedTarget<Context>, request: HttpRequest): Promise<HttpResponse> {
    const { clock, metrics, log } = this.#options.context.env
    const routed = { mounted, path, rest, query, request }
    const startedMs = clock.monoMs()
    const response = await this.#answer(routed)
    const tookMs = clock.monoMs() - startedMs
    if (this.#requestsTimed) metrics.sample(mounted.metrics.get(request.method) ?? mounted.otherMetric, tookMs)
    if (log.enabled('debug')) {
      const { method, target, from } = this.#fields(routed)
      log.write('debug', 'http', 'request', { method, target, from, status: response.status, tookMs })
    }
    return response
  }

  /** In the field's order: the query is parsed first, and `OPTIONS` requires no rights. */
  #answer(routed: RoutedRequest<Context>): HttpResponse | Promise<HttpResponse> {
    const { encoder, blockedPrefixes } = this.#options
    const { mounted, path, request, query } = routed
    if (!query.ok) return encoder.text(400, query.error)
    if (blockedPrefixes.some((prefix) => path.startsWith(prefix))) {
      return encoder.text(403, 'Endpoint is blocked by agent configuration')
    }
    const method = this.#method(routed)
    if (method === undefined) return this.#withoutMethod(routed)
    if (request.body === 'too-large') {
      return encoder.text(
        413,
        mounted.route.tooLarge ?? `Request body exceeds ${mounted.route.bodyBytesMax ?? bodyBytesMax} byte limit`,
      )
    }
    return this.#handle(routed, method, query.value, request.body)
  }

  /**
   * The method to serve, or none if the route does not have it. Before 1.0, an endpoint with one method accepted any.
   */
  #method({ mounted: { methods, route }, request }: RoutedRequest<Context>): HttpMethod | undefined {
    const listed = methods.find((method) => method === request.method)
    if (listed !== undefined || this.#verbsEnforced || route.endings !== undefined) return listed
    return methods.length === 1 ? methods[0] : undefined
  }

  /** Answers a request for the allowed methods, or one with another method. */
  #withoutMethod({ mounted, request }: RoutedRequest<Context>): HttpResponse {
    const { encoder } = this.#options
    const { allow, allowInstead, route } = mounted
    const said = `method ${request.method} not allowed`
    if (request.method !== 'OPTIONS' || !this.#optionsAnswered)
      return encoder.text(405, said, [['Allow', allowInstead]])
    const headers = [['Allow', allow]] as const
    return route.endings === undefined ? encoder.text(200, '', headers) : encoder.json(200, {}, headers)
  }

  async #handle(
    routed: RoutedRequest<Context>,
    method: HttpMethod,
    query: QueryParameters,
    body: Uint8Array,
  ): Promise<HttpResponse> {
    const { context, encoder, pretty } = this.#options
    const { mounted, rest, request } = routed
    const { tokenHeaders } = this.#options
    const secret = requestToken(query.get('token'), request.headers, tokenHeaders)
    const token = secret === '' ? '' : (this.#options.actingToken?.(secret) ?? secret)
    const caller = { client: request.remote.host, onAbort: request.onAbort }
    const call = token === '' ? caller : { ...caller, token }
    const operation = mounted.operations[method]
    invariant(operation !== undefined, 'only methods that a route has are served', { method })
    const routeRequest: RouteRequest<string> = {
      method,
      rest,
      query,
      body,
      call,
      headers: () => withToken(request.headers, tokenHeaders),
    }
    try {
      const response = await operation.handle(context, routeRequest)
      if (response.kind === 'failure') this.#logFailure(response, routed)
      return encoder.response(response, pretty || query.has(prettyParameter.name))
    } catch (thrown) {
      return this.#thrown(thrown, routed)
    }
  }

  #logFailure({ failure }: RouteResponse & { kind: 'failure' }, routed: RoutedRequest<Context>): void {
    if (failureStatus[failure.kind] < 500 || failure.kind === 'cancelled') return
    const fields = { ...this.#fields(routed), kind: failure.kind, error: hideUuids(failureText(failure)) }
    this.#options.context.env.log.write('error', 'http', 'request failed', fields, { by: failure.kind })
  }

  /**
   * Handles a bug. Its text is only for the log, and only if it is ours, because an engine's texts differ between
   * versions.
   */
  #thrown(thrown: unknown, routed: RoutedRequest<Context>): HttpResponse {
    const { context, encoder, onFatal } = this.#options
    const fields = {
      ...this.#fields(routed),
      error: thrown instanceof Error ? thrown.name : 'not an error',
      message: thrown instanceof InvariantViolation ? thrown.message : undefined,
    }
    context.env.log.write('error', 'http', 'a route threw', fields, 'sampled')
    if (thrown instanceof InvariantViolation) onFatal?.(thrown)
    return encoder.text(500, 'Internal error')
  }

  #fields(routed: RoutedRequest<Context>) {
    const { mounted, path, query, request } = routed
    const method = this.#method(routed)
    const target = loggableTarget({
      target: request.target,
      path,
      routePath: mounted.route.path,
      secretBelow: mounted.route.rest?.secret === true,
      declared: [prettyParameter, ...((method === undefined ? undefined : mounted.operations[method])?.query ?? [])],
      secret: requestToken(
        query.ok ? query.value.get('token') : undefined,
        request.headers,
        this.#options.tokenHeaders,
      ),
    })
    return { method: request.method, target, from: endpointText(request.remote) }
  }
}

/**
 * Headers in which a token sent under an alias's name is also found under the product's own. An empty one counts as
 * absent.
 */
function withToken(headers: HttpHeaders, [own, ...aliases]: readonly [string, ...string[]]): HttpHeaders {
  if ((headers.get(own) ?? '') !== '') return headers
  for (const alias of aliases) {
    const token = headers.get(alias) ?? ''
    if (token !== '') return new Map(headers).set(own, token)
  }
  return headers
}
