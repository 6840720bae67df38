import type { Env } from '../../../env/env.ts'
import type { CheckProbe } from '../../../model/catalog.ts'
import { critical, failureText, type Outcome } from './outcome.ts'
import { firstReached, placesAt } from './place.ts'

export type TcpProbe = Extract<CheckProbe, { kind: 'tcp' }>

/** One run of a TCP check: a target that accepts a connection passes. */
export async function probeTcp(env: Env, probe: TcpProbe): Promise<Outcome> {
  const endMs = env.clock.monoMs() + probe.timeoutMs
  const places = await placesAt(env, probe.address, probe.timeoutMs)
  if (!places.ok) return critical(`dial tcp: ${places.error}`)
  const stream = await firstReached(places.value, (to) =>
    env.tcp.dial(to, { timeoutMs: Math.max(1, endMs - env.clock.monoMs()) }),
  )
  if (!stream.ok) return critical(failureText(stream.error))
  stream.value.onClose(() => undefined)
  stream.value.close()
  return { status: 'passing', output: `TCP connect ${probe.address}: Success` }
}
