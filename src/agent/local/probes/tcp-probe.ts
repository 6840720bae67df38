import type { Env } from '../../../env/env.ts'
import type { CheckProbe } from '../../../model/catalog.ts'
import { critical, failureText, type Outcome } from './outcome.ts'
import { endpointAt } from './place.ts'

export type TcpProbe = Extract<CheckProbe, { kind: 'tcp' }>

/** One run of a TCP check: who accepts a connection is well. */
export async function probeTcp(env: Env, probe: TcpProbe): Promise<Outcome> {
  const to = endpointAt(probe.address)
  if (!to.ok) return critical(`dial tcp: ${to.error}`)
  const stream = await env.tcp.dial(to.value, { timeoutMs: probe.timeoutMs })
  if (!stream.ok) return critical(failureText(stream.error))
  stream.value.onClose(() => undefined)
  stream.value.close()
  return { status: 'passing', output: `TCP connect ${probe.address}: Success` }
}
