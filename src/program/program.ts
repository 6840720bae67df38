import type { Agent, AgentObserver, StartFailure } from '../agent/agent.ts'
import type { AgentConfig } from '../agent/agent-config.ts'
import type { Result } from '../base/result.ts'
import type { Env } from '../env/env.ts'

/** One whole agent with its faces: what `svc agent` and the simulator both start. */
export interface Program {
  readonly agent: Agent
  stop(): Promise<void>
}

export type StartProgram = (
  env: Env,
  config: AgentConfig,
  observer?: AgentObserver,
) => Promise<Result<Program, StartFailure>>
