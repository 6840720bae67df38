import type { Agent, AgentObserver, StartFailure } from '../agent/agent.ts'
import type { AgentConfig } from '../agent/agent-config.ts'
import { features } from '../agent/features.ts'
import { portFailure, startAgent } from '../agent/start.ts'
import { err, ok, type Result } from '../base/result.ts'
import type { Env } from '../env/env.ts'
import type { HttpHandler, HttpListener } from '../env/http.ts'
import { createHttpFace } from '../http/face.ts'
import { productTitle } from '../model/names.ts'

/** One whole agent with its faces: what `svc agent` and the simulator both start. */
export interface Program {
  readonly agent: Agent
  /** Where the HTTP API listens. */
  readonly http: readonly HttpListener[]
  stop(): Promise<void>
}

/**
 * Starts an agent and its faces. The faces' ports are taken first, so that one in use is found before anything is
 * written; until the agent runs they say so.
 */
export async function startProgram(
  env: Env,
  config: AgentConfig,
  observer?: AgentObserver,
): Promise<Result<Program, StartFailure>> {
  let face: HttpHandler = async () => ({ status: 503, headers: [], body: `${productTitle} agent is starting` })
  const http: HttpListener[] = []
  const closeFaces = (): void => {
    for (const listener of http) listener.close()
  }
  if (config.ports.http > 0) {
    for (const host of config.clientAddresses) {
      const listener = await env.http.serve({ host, port: config.ports.http }, (request) => face(request))
      if (!listener.ok) {
        closeFaces()
        return err(portFailure(listener.error, 'ports.http'))
      }
      http.push(listener.value)
    }
  }
  const agent = await startAgent(env, config, observer)
  if (!agent.ok) {
    closeFaces()
    return agent
  }
  const routes = features.flatMap((feature) => feature.routes ?? [])
  face = createHttpFace({
    agent: agent.value,
    routes,
    config: config.http,
    onFatal: (violation) => agent.value.raiseFatal(violation),
  })
  const stop = async (): Promise<void> => {
    closeFaces()
    await agent.value.stop()
  }
  return ok({ agent: agent.value, http, stop })
}
