import { textOf } from '../../../src/base/bytes.ts'
import type { Env } from '../../../src/env/env.ts'
import type { Endpoint } from '../../../src/env/net.ts'
import type { HeldInstance } from '../../checkers/reads/held.ts'
import { type AskedFor, differenceOf, toldOf } from '../../checkers/reads/read-truth.ts'
import type { Draws } from '../../world/decisions/draws.ts'
import { toldIn } from './http-answers.ts'
import { type AskedAt, answerWithinMs, type Question } from './question.ts'

/** The choices from which questions are drawn. */
export interface Asking {
  readonly service: string
  readonly tags: readonly string[]
  readonly nodeMeta: readonly string[]
}

/** With this parameter, a question is asked as a filter, if a filter can express it. */
const sorted = 'near=_agent'
/** Further parameters that do not change the content of the answer. */
const hows = [undefined, undefined, undefined, sorted, 'stale', 'consistent'] as const
const faces = [
  'health',
  'health',
  'health',
  'catalog',
  'catalog',
  'services',
  'checks',
  'state',
  'node services',
  'node checks',
  'agent services',
  'agent checks',
] as const
const states = ['passing', 'warning', 'critical', 'any'] as const

/** A question over HTTP, drawn from all possible ways. `nodes`: those that have something, or could have. */
export function drawnHttp(
  draws: Draws,
  asking: Asking,
  at: AskedAt,
  nodes: readonly string[],
): { readonly asked: AskedFor; readonly how: string | undefined } | undefined {
  // Few questions are for cached answers, so that one is asked repeatedly.
  if (draws.below(5) === 0)
    return { asked: { of: draws.below(2) === 0 ? 'health' : 'catalog', connect: false }, how: 'cached' }
  const asked = drawnPlain(draws, asking, at, nodes)
  return asked === undefined ? undefined : { asked, how: hows[draws.below(hows.length)] }
}

function drawnPlain(draws: Draws, asking: Asking, at: AskedAt, nodes: readonly string[]): AskedFor | undefined {
  const of = faces[draws.below(faces.length)] ?? 'health'
  const pair = draws.below(3) === 0 ? asking.nodeMeta[draws.below(Math.max(1, asking.nodeMeta.length))] : undefined
  const nodeMeta = pair === undefined ? {} : { nodeMeta: splitPair(pair) }
  switch (of) {
    case 'health':
    case 'catalog': {
      const tag = draws.below(3) === 0 ? asking.tags[draws.below(Math.max(1, asking.tags.length))] : undefined
      const connect = draws.below(4) === 0
      const passing = of === 'health' && draws.below(2) === 0 ? { passing: true } : {}
      return { of, connect, ...passing, ...(tag === undefined ? {} : { tag }), ...nodeMeta }
    }
    case 'services':
    case 'checks':
      return { of, ...nodeMeta }
    case 'state':
      return { of, status: states[draws.below(states.length)] ?? 'any', ...nodeMeta }
    case 'node services':
    case 'node checks':
      return { of, node: draws.oneOf(nodes, (name) => name) ?? '' }
    case 'agent services':
    case 'agent checks':
      return at.datacenter === undefined ? { of, node: at.name } : undefined
  }
}

function splitPair(pair: string): readonly [string, string] {
  const colon = pair.indexOf(':')
  return [pair.slice(0, colon), pair.slice(colon + 1)]
}

const paths = {
  'node services': '/v1/catalog/node',
  'node checks': '/v1/health/node',
  'agent services': '/v1/agent/services',
  'agent checks': '/v1/agent/checks',
} as const

/** The target of a request. */
export function targetOf(service: string, asked: AskedFor, how: string | undefined, datacenter?: string): string {
  const filtered = how === sorted ? filteredTarget(service, asked) : undefined
  if (filtered !== undefined) return `${filtered}&${sorted}${datacenter === undefined ? '' : `&dc=${datacenter}`}`
  const path = pathOf(service, asked)
  if (asked.of === 'agent services' || asked.of === 'agent checks') return path
  const parameters = [
    ...('passing' in asked ? ['passing'] : []),
    ...('tag' in asked ? [`tag=${asked.tag}`] : []),
    ...('nodeMeta' in asked && asked.nodeMeta !== undefined ? [`node-meta=${asked.nodeMeta.join(':')}`] : []),
    ...(how === undefined ? [] : [how]),
    ...(datacenter === undefined ? [] : [`dc=${datacenter}`]),
  ]
  return `${path}${parameters.length === 0 ? '' : `?${parameters.join('&')}`}`
}

/** The same question with a filter in place of parameters, if a filter can express it; the answer must be the same. */
function filteredTarget(service: string, asked: AskedFor): string | undefined {
  if (asked.of === 'state') {
    if (asked.status === 'any' || asked.nodeMeta !== undefined) return undefined
    return `/v1/health/state/any?filter=${encodeURIComponent(`Status == ${asked.status}`)}`
  }
  if (asked.of !== 'health' && asked.of !== 'catalog') return undefined
  const [tags, meta] = asked.of === 'health' ? ['Service.Tags', 'Node.Meta'] : ['ServiceTags', 'NodeMeta']
  const { tag, nodeMeta, passing = false, connect } = asked
  const parts = [
    ...(tag === undefined || connect ? [] : [`\`${tag}\` in ${tags}`]),
    ...(nodeMeta === undefined ? [] : [`${meta}["${nodeMeta[0]}"] == \`${nodeMeta[1]}\``]),
    ...(passing ? ['not Checks.Status != passing'] : []),
  ]
  if (parts.length === 0) return undefined
  return `${pathOf(service, asked)}?filter=${encodeURIComponent(parts.join(' and '))}`
}

function pathOf(service: string, asked: AskedFor): string {
  switch (asked.of) {
    case 'health':
    case 'catalog':
      return `/v1/${asked.of}/${asked.connect ? 'connect' : 'service'}/${service}`
    case 'services':
      return '/v1/catalog/services'
    case 'checks':
      return `/v1/health/checks/${service}`
    case 'state':
      return `/v1/health/state/${asked.status}`
    case 'node services':
    case 'node checks':
      return `${paths[asked.of]}/${asked.node}`
    case 'agent services':
    case 'agent checks':
      return paths[asked.of]
  }
}

/** Asks one agent over HTTP about the agents' state, and compares: E7. */
export function httpQuestion(
  {
    service,
    asked,
    how,
    at,
    to,
  }: { service: string; asked: AskedFor; how: string | undefined; at: AskedAt; to: Endpoint },
  held: () => readonly HeldInstance[] | undefined,
): Question {
  const target = targetOf(service, asked, how, at.datacenter)
  return {
    law: 'E7',
    text: `${target} at ${at.name}`,
    basis: () => {
      const now = held()
      return now === undefined ? undefined : JSON.stringify(now)
    },
    ask: async (env) => {
      const body = await jsonAt(env, to, target)
      const now = held() ?? []
      if (typeof body === 'string') {
        return at.mustAnswer ? { fault: `is not answered: ${body}` } : undefined
      }
      return { fault: differenceOf(toldOf(now, asked), toldIn(body.json, asked, service, now)) }
    },
  }
}

/** The JSON of an answer, with its headers, or why there is none. */
export async function jsonAt(
  env: Env,
  to: Endpoint,
  target: string,
  said: readonly (readonly [name: string, value: string])[] = [],
): Promise<{ readonly json: unknown; readonly headers: ReadonlyMap<string, string> } | string> {
  const answer = await env.http.request(to, { method: 'GET', target, headers: said, timeoutMs: answerWithinMs })
  if (!answer.ok) return JSON.stringify(answer.error)
  const { status, body, headers } = answer.value
  const text = textOf(body)
  if (status !== 200) return `${status} ${text}`
  return { json: JSON.parse(text) as unknown, headers: new Map(headers) }
}
