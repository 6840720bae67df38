import { z } from 'zod'
import { textOf, utf8 } from '../../../src/base/bytes.ts'
import { parseDuration } from '../../../src/base/duration.ts'
import type { HttpRequest, HttpResponse } from '../../../src/env/http.ts'
import * as actions from '../../library/actions.ts'
import type { LibraryCluster } from '../../library/library-cluster.ts'
import type { Pace } from './pace.ts'

export interface AdminParts {
  readonly cluster: Pick<LibraryCluster, 'fault' | 'mend' | 'story' | 'nodes' | 'nowMs'>
  readonly pace: Pace
  readonly status: () => object
  /** Why time stands still for good, if it does. */
  readonly failure: () => string | undefined
  /** Makes a promise and the function that resolves it. */
  readonly deferred: <T>() => { readonly promise: Promise<T>; resolve(value: T): void }
}

/** Maximum number of virtual seconds per second: beyond it no machine keeps up. */
export const rateMax = 10_000
/** A year, in milliseconds. */
const jumpMaxMs = 365 * 86_400_000

const name = z.string().max(100)
const nodeBody = z.strictObject({ node: name })
/** A number, also as a query has it. */
const number = z.union([
  z.number(),
  z
    .string()
    .regex(/^\d{1,15}(\.\d{1,15})?$/, 'a number, such as 30 or 0.5')
    .transform(Number),
])
const advanceBody = z.union([z.strictObject({ seconds: number }), z.strictObject({ by: name })])
const partitionBody = z.strictObject({ groups: z.array(z.array(name).max(200)).min(1).max(50) })
const clockBody = z.union([z.strictObject({ node: name, step: name }), z.strictObject({ node: name, rate: name })])
const diskFault = z.union([
  z.enum(['full', 'stalled', 'failing sync']),
  z.strictObject({ latency: name.optional(), fsync: name.optional() }),
])
const diskBody = z.strictObject({ node: name, fault: diskFault })
const rateBody = z.strictObject({ rate: number })

/** What is wrong with a request, as a text for its sender. */
class Refused extends Error {
  override readonly name = 'Refused'
}

/**
 * The port on which a person or a program controls the world: `GET /status`, `POST /advance?by=72h`, `POST
 * /crash?node=s1`.
 */
export class Admin {
  readonly #parts: AdminParts

  constructor(parts: AdminParts) {
    this.#parts = parts
  }

  /** Never rejects, except for an error of this program. */
  async handle(request: HttpRequest): Promise<HttpResponse> {
    const [path = '', query = ''] = request.target.split('?')
    try {
      if (request.method === 'GET' && path === '/status') return answered(this.#parts.status())
      if (request.method === 'GET' && path === '/story') return said(200, `${this.#parts.cluster.story().join('\n')}\n`)
      if (request.method !== 'POST')
        return said(404, 'GET /status, GET /story; everything else is POST: see docs/serve.md')
      const given = givenIn(request, query)
      const failure = this.#parts.failure()
      if (failure !== undefined) return said(409, failure)
      if (path === '/advance') return await this.#advance(given, request)
      return this.#deed(path, given)
    } catch (cause) {
      if (cause instanceof Refused) return said(400, cause.message)
      throw cause
    }
  }

  async #advance(given: unknown, request: HttpRequest): Promise<HttpResponse> {
    const ms = spanOf(given)
    if (!(ms > 0 && ms <= jumpMaxMs))
      throw new Refused('say ?by=30s, ?by=72h or {"seconds": 30}: at most a year at a time')
    const { promise, resolve } = this.#parts.deferred<undefined>()
    let isGone = false
    request.onAbort(() => {
      isGone = true
    })
    const isOver = (): boolean => isGone || this.#parts.failure() !== undefined
    if (!this.#parts.pace.jump(ms, isOver, () => resolve(undefined))) return said(409, 'time is being advanced already')
    await promise
    const failure = this.#parts.failure()
    return failure === undefined ? answered({ nowMs: this.#parts.cluster.nowMs }) : said(409, failure)
  }

  #deed(path: string, given: unknown): HttpResponse {
    const { cluster, pace } = this.#parts
    if (path === '/rate') {
      const { rate } = checked(rateBody, given)
      if (!(rate >= 0 && rate <= rateMax)) throw new Refused(`a rate is from 0 to ${rateMax}`)
      pace.setRate(rate)
    } else if (path === '/mend') cluster.mend()
    else this.#fault(actionOf(path, given))
    return answered({ nowMs: cluster.nowMs })
  }

  #fault(action: Readonly<Record<string, unknown>>): void {
    try {
      this.#parts.cluster.fault(action)
    } catch (cause) {
      // Names of agents and values of faults are checked when the fault is performed.
      throw new Refused(cause instanceof Error ? cause.message : String(cause))
    }
  }
}

/** In milliseconds; NaN: it names no span of time. */
function spanOf(given: unknown): number {
  const asked = advanceBody.safeParse(given)
  if (!asked.success) return Number.NaN
  if ('seconds' in asked.data) return asked.data.seconds * 1000
  const parsed = parseDuration(asked.data.by)
  return parsed.ok ? parsed.value : Number.NaN
}

const ofOneNode: readonly string[] = ['crash', 'kill', 'restart', 'pause', 'resume']

function actionOf(path: string, given: unknown): Readonly<Record<string, unknown>> {
  const verb = path.slice(1)
  if (ofOneNode.includes(verb)) return { [verb]: checked(nodeBody, given).node }
  switch (verb) {
    case 'partition':
      return actions.partition(checked(partitionBody, given).groups)
    case 'heal':
      return actions.heal()
    case 'clock': {
      const { node, ...fault } = checked(clockBody, given)
      return actions.clock(node, fault)
    }
    case 'disk': {
      const { node, fault } = checked(diskBody, given)
      return actions.disk(node, typeof fault === 'string' ? fault : definedOf(fault))
    }
    case 'fault':
      return checked(z.record(z.string(), z.unknown()), given)
    default:
      throw new Refused(`there is no ${path}: see docs/serve.md`)
  }
}

/** The object without undefined members. */
function definedOf({ latency, fsync }: { readonly latency?: string | undefined; readonly fsync?: string | undefined }) {
  return { ...(latency === undefined ? {} : { latency }), ...(fsync === undefined ? {} : { fsync }) }
}

/** The body as JSON; without one, the parameters of the query. */
function givenIn({ body }: HttpRequest, query: string): unknown {
  if (body === 'too-large') throw new Refused('the body is too large')
  try {
    if (body.length > 0) return JSON.parse(textOf(body))
    const pairs = query.split('&').filter(Boolean)
    return Object.fromEntries(
      pairs.map((pair) => {
        const [key = '', ...value] = pair.split('=')
        return [decodeURIComponent(key), decodeURIComponent(value.join('='))]
      }),
    )
  } catch {
    throw new Refused('the body is not JSON, or the query cannot be read')
  }
}

function checked<T>(schema: z.ZodType<T>, given: unknown): T {
  const parsed = schema.safeParse(given)
  if (parsed.success) return parsed.data
  throw new Refused(parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '))
}

function answered(value: object): HttpResponse {
  return { status: 200, headers: [['Content-Type', 'application/json']], body: utf8(`${JSON.stringify(value)}\n`) }
}

function said(status: number, text: string): HttpResponse {
  return { status, headers: [['Content-Type', 'text/plain; charset=utf-8']], body: utf8(`${text.trimEnd()}\n`) }
}
