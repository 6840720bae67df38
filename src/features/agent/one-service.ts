import { z } from 'zod'
import { hex, textOfByteString, utf8 } from '../../base/bytes.ts'
import { parseDuration } from '../../base/duration.ts'
import { writeJson } from '../../base/json.ts'
import type { Closable } from '../../env/async.ts'
import { blockingJitterFraction, blockingWaitDefaultMs, blockingWaitMaxMs } from '../../model/limits.ts'
import { allowedHere } from '../asking.ts'
import type { NamesOf } from '../declared.ts'
import type { AgentContext, RouteRequest, RouteResponse } from '../manifest.ts'
import { nameKey } from '../name-keys.ts'
import { durationText, parameter } from '../parameters.ts'
import { badRequest, failed } from '../responses.ts'
import { hashedServiceJson, serviceJson } from './model.ts'

export const oneServiceParameters = [
  parameter('hash', z.string(), 'Wait until the service has another hash.'),
  parameter('wait', durationText, 'How long at most: 5 minutes where it is absent, 10 at most.'),
] as const

type OneServiceRequest = RouteRequest<NamesOf<typeof oneServiceParameters>>

/**
 * One service of the agent, by its ID in any case of letters, as it is registered. With the hash that it had it is answered when
 * that is no longer so, or when the time is up. Reference: HTTP API 4.1, 4.5.
 */
export async function readOneService(agent: AgentContext, request: OneServiceRequest): Promise<RouteResponse> {
  const { env, local } = agent
  const waitMs = waitFrom(request)
  if (waitMs === undefined) return badRequest('Invalid wait time')
  const known = request.query.get('hash') ?? ''
  const drawn = env.random.stream('blocking.jitter').fraction()
  const endMs = env.clock.monoMs() + waitMs + (drawn * waitMs) / blockingJitterFraction
  const id = textOfByteString(request.rest)
  for (;;) {
    const find = () => local.services().find((candidate) => nameKey(candidate.id) === nameKey(id))
    const name = find()?.service
    if (name === undefined) return failed({ kind: 'not-found', message: `unknown proxy service ID: ${id}` })
    const allowed = await allowedHere(agent, request, () => [{ resource: 'service', name, right: 'read' }])
    if (!allowed.ok) return failed(allowed.error)
    // Only what is read after that cannot change unnoticed before it is waited for.
    const service = find()
    if (service?.service !== name) continue
    // 64 bits in hexadecimal digits, without zeros in front.
    const content = hex(env.crypto.sha256(utf8(writeJson(serviceJson(service)))))
    const contentHash = content.slice(0, 16).replace(/^0+(?=.)/, '')
    const leftMs = endMs - env.clock.monoMs()
    if (known !== contentHash || leftMs <= 0) {
      return { kind: 'json', value: hashedServiceJson(service, contentHash), contentHash }
    }
    if ((await changed(agent, request, leftMs)) === 'gone') return failed({ kind: 'cancelled' })
  }
}

/** Undefined: not a duration. */
function waitFrom(request: OneServiceRequest): number | undefined {
  const text = request.query.get('wait') ?? ''
  const wait = parseDuration(text === '' ? '0' : text)
  if (!wait.ok) return undefined
  return wait.value <= 0 ? blockingWaitDefaultMs : Math.min(wait.value, blockingWaitMaxMs)
}

/** Settled when services changed, the time is up, or the caller went away. */
async function changed(agent: AgentContext, request: OneServiceRequest, waitMs: number): Promise<'changed' | 'gone'> {
  const news = agent.env.deferred<'changed' | 'gone'>()
  const open: Closable[] = [
    agent.local.onServicesChange(() => news.resolve('changed')),
    agent.env.timers.after(waitMs, () => news.resolve('changed')),
  ]
  request.call.onAbort?.(() => news.resolve('gone'))
  const what = await news.promise
  for (const each of open) each.close()
  return what
}
