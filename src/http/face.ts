import type { WanConfig } from '../agent/settings/agent-config.ts'
import type { HttpConfig } from '../agent/settings/http-settings.ts'
import { textOfByteString } from '../base/bytes.ts'
import type { InvariantViolation } from '../base/invariant.ts'
import { bodyBytesMax, type HttpHandler, type HttpRequest, type HttpResponse } from '../env/http.ts'
import type { Route } from '../features/contract/route.ts'
import { type Behaviour, hasBehaviour, isAtLeast, newestRelease, type Release, releaseText } from '../model/release.ts'
import { responseEncoder } from './encode-response.ts'
import { headerNames } from './header-names.ts'
import { withDocument } from './openapi/document.ts'
import { parseQuery } from './query-parameters.ts'
import { type FaceContext, RouteCaller, type RoutedTarget } from './route-call.ts'
import { routeTable } from './route-table.ts'
import { cleanPath, isPrintable, KnownTargets, parseTarget, redirect } from './target.ts'
import { uiFace } from './ui/interface.ts'

export interface HttpFaceOptions<Context> {
  readonly context: Context
  readonly routes: readonly Route<Context>[]
  readonly config: HttpConfig & Partial<Pick<WanConfig, 'translatesAddresses'>>
  /** The secret that replaces the one in a request; absent: the request's own secret is used. */
  readonly actingToken?: (secret: string) => string
  /** A route broke an invariant, so the agent must stop. The caller still gets its 500. */
  readonly onFatal?: (violation: InvariantViolation) => void
}

/**
 * The one matcher of HTTP requests. It uses the world only through the agent that it asks, so that production and
 * simulation answer alike. The promise that it returns never rejects. Reference:
 * http-conventions.md#transport-and-encoding.
 */
export function createHttpFace<Context extends FaceContext>({
  context,
  routes,
  config,
  actingToken,
  onFatal,
}: HttpFaceOptions<Context>): HttpHandler {
  const { naming } = config
  const has = (behaviour: Behaviour): boolean => hasBehaviour(context.release, behaviour)
  const known = routes.filter(({ since }) => since === undefined || has(since))
  const table = routeTable(withDocument(known, releaseText(context.release), naming), has('options-answered'))
  const all = headerNames(naming, config.aliases)
  const names = has('consistency-told') ? all : { ...all, effectiveConsistency: [] }
  const translating = config.translatesAddresses && has('http-translates') ? names.translateAddresses : []
  const configured = [
    ...Object.entries(config.responseHeaders).filter(([name]) => !ownHeaders.has(name.toLowerCase())),
    ...translating.map((name) => [name, 'true'] as const),
  ]
  const outside = responseEncoder(naming, names, [])
  const unrouted = responseEncoder(naming, names, configured)
  const vary = ['Vary', 'Accept-Encoding'] as const
  const calling = {
    context,
    tokenHeaders: names.token,
    blockedPrefixes: config.blockEndpoints,
    pretty: config.pretty && has('pretty-in-development'),
    actingToken,
    onFatal,
  }
  const caller = new RouteCaller({ ...calling, encoder: responseEncoder(naming, names, [...configured, vary]) })
  // As in the field, configured headers apply only to the API: one that opens it to web pages opens no profiles.
  const unconfigured = new RouteCaller({ ...calling, encoder: responseEncoder(naming, names, [vary]) })

  const bodyBytesMaxOf = (_method: string, given: string): number => {
    const target = parseTarget(given)
    const match = target.ok ? table.match(target.value.path) : undefined
    return (match?.kind === 'route' ? match.mounted.route.bodyBytesMax : undefined) ?? bodyBytesMax
  }
  const handle = (request: HttpRequest): Promise<HttpResponse> => {
    const answer = answerTo(request)
    return answer instanceof Promise ? answer : Promise.resolve(answer)
  }
  const refusesUnprintable = !config.allowUnprintableCharacters && has('unprintable-refused')
  const { disk, shipped, log } = context.env
  const ui = uiFace({ naming, config: config.ui, disk, shipped, log })
  const meant = new KnownTargets((given): Meant<Context> => {
    const target = parseTarget(given)
    if (!target.ok) return answering(() => outside.text(400, target.error))
    const { path, rawQuery } = target.value
    const versioned = path.startsWith('/v1/')
    const encoder = versioned ? unrouted : outside
    if (refusesUnprintable && !isPrintable(path)) return answering(() => encoder.text(400, ''))
    const clean = cleanPath(path)
    const interfaceAnswer = clean === path ? ui(path, rawQuery) : undefined
    if (interfaceAnswer !== undefined) return answering(interfaceAnswer)
    const match = clean === path ? table.match(path) : ({ kind: 'redirect', path: clean } as const)
    switch (match.kind) {
      case 'route':
        return { kind: 'route', mounted: match.mounted, path, rest: match.rest, query: parseQuery(rawQuery) }
      case 'redirect':
        return answering(({ method }) => redirect(method, match.path, rawQuery, versioned ? configured : []))
      case 'none':
        return answering(() =>
          path === '/' ? outside.text(200, `${naming.title} Agent`) : encoder.text(404, noRoute(path, context.release)),
        )
    }
  })
  const answerTo = (request: HttpRequest): HttpResponse | Promise<HttpResponse> => {
    const found = meant.of(request.target)
    if (found.kind !== 'route') return found.answer(request)
    return (found.path.startsWith('/v1/') ? caller : unconfigured).call(found, request)
  }
  return Object.assign(handle, { bodyBytesMaxOf })
}

/**
 * The text names the route, up to the length of the longest existing one. An agent of an earlier release answers
 * without a text, as it did then, and so does one whose web interface is off.
 */
function noRoute(path: string, release: Release): string {
  if (!isAtLeast(release, newestRelease) || /^\/ui(\/|$)/.test(path)) return ''
  const shown = [...textOfByteString(path)].slice(0, shownMax).join('')
  return `There is no route ${JSON.stringify(shown)} in release ${releaseText(release)}`
}

const shownMax = 128

/** The meaning of a target: a route to call, or an immediate answer. */
type Meant<Context> =
  | ({ readonly kind: 'route' } & RoutedTarget<Context>)
  | { readonly kind: 'answer'; readonly answer: Answer }

type Answer = (request: HttpRequest) => HttpResponse | Promise<HttpResponse>

function answering<Context>(answer: Answer): Meant<Context> {
  return { kind: 'answer', answer }
}

/** Headers that a configured one must not repeat, because they are about the body or the connection. */
const ownHeaders: ReadonlySet<string> = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'date',
  'transfer-encoding',
])
