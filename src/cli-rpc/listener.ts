import { ok, type Result } from '../base/result.ts'
import type { Closable } from '../env/async.ts'
import type { Env } from '../env/env.ts'
import { type Endpoint, endpointText, type ListenFailure } from '../env/net.ts'
import type { AgentContext } from '../features/contract/agent-context.ts'
import { Conversation } from './conversation.ts'

/** At once; one more is closed at once. */
const conversationsMax = 64

/** The port of the command line, as agents before 0.8.0 have it. `agent`: undefined while it starts. Port 0 takes a free one. */
export async function openCliRpc(
  env: Env,
  agent: () => AgentContext | undefined,
  at: Endpoint,
): Promise<Result<Closable & { readonly local: Endpoint }, ListenFailure>> {
  const open = new Set<Conversation>()
  const listener = await env.tcp.listen(at, (stream) => {
    if (open.size >= conversationsMax) return stream.close()
    const conversation = new Conversation(env, agent, stream, () => open.delete(conversation))
    open.add(conversation)
  })
  if (!listener.ok) return listener
  const { local } = listener.value
  env.log.write('info', 'agent', 'Started CLI RPC server', { address: endpointText(local) })
  const close = (): void => {
    listener.value.close()
    for (const conversation of [...open]) conversation.close()
  }
  return ok({ local, close })
}
