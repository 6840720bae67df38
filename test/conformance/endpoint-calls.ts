import { rightsEndpoint } from '../../src/agent/access/rights.ts'
import { features } from '../../src/agent/assembly/features.ts'
import { err, type Result } from '../../src/base/result.ts'
import type { Env } from '../../src/env/env.ts'
import type { EndpointDefinition } from '../../src/features/contract/endpoint.ts'
import { type CallFailure, Rpc } from '../../src/rpc/rpc.ts'
import { nonsense } from '../nonsense.ts'
import type { SimulatedAgent } from './simulated-agent.ts'

/** Every endpoint that servers have: one that is new is among them. */
export const endpoints: readonly EndpointDefinition[] = [
  ...features.flatMap((feature) => feature.endpoints ?? []),
  rightsEndpoint(async () => err({ kind: 'access-control-off' })) as EndpointDefinition,
]

/** Arguments that the endpoint takes, and some that none does. */
export function argumentsOf({ args }: EndpointDefinition, texts: readonly string[], turns: number): readonly unknown[] {
  const drawn = Array.from({ length: turns }, (_, turn) => nonsense(args, texts, turn))
  return [...drawn, ...keys, null, {}, [], 'nonsense', 1]
}

/** Of nothing. */
export const unknownId = 'cccccccc-0000-4000-8000-00000000000c'

const key = { key: 'a', flags: 0, index: 0, session: unknownId, prefix: 'a', separator: '' }

/** For endpoints whose schema is a function, which tells nothing of itself. */
const keys: readonly unknown[] = [{ ...key, value: new Uint8Array([0x78]) }, key]

/** Each write is one of its own. */
export function requestOf(
  { kind }: EndpointDefinition,
  args: unknown,
  { token = '', sequence }: { readonly token?: string | undefined; readonly sequence: number },
): object {
  const asking = token === '' ? { args } : { args, token }
  if (kind === 'write') return { ...asking, identity: { origin: 'nobody', sequence } }
  return { ...asking, read: { consistency: 'default', minIndex: 0, waitMs: 1, maxStaleMs: 0, datacenter: '' } }
}

/** Asks as another agent does. */
export function asOtherAgent(
  agent: SimulatedAgent,
  use: (call: (method: string, body: unknown) => Promise<Result<unknown, CallFailure>>) => Promise<void>,
): Promise<void> {
  return agent.run(async (env: Env) => {
    const rpc = await Rpc.open(env, undefined)
    if (!rpc.ok) throw new Error(`it listens nowhere, and yet: ${rpc.error.kind}`)
    const own = { nodeId: 'dddddddd-0000-4000-8000-00000000000d', nodeName: 'd', datacenter: 'dc1', address: '' }
    rpc.value.start(own, {
      onRequest: async () => err({ kind: 'unknown-method', method: '' }),
      onNotice: () => undefined,
      onPeer: () => undefined,
    })
    await use(async (method, body) => {
      const answer = await rpc.value.request('127.0.0.1:8300', { method, body, deadlineMs: 60_000 })
      if (!answer.ok && answer.error.kind === 'unreachable') throw new Error(answer.error.message)
      return answer
    })
    rpc.value.stop()
  })
}
