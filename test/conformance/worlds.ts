import type { GoldenTarget } from './golden/golden-target.ts'
import { startRealAgent } from './real-agent.ts'

/** A place where an agent runs that leads a cluster of its own. */
export interface World {
  readonly name: string
  start(): Promise<{ readonly target: GoldenTarget; stop(): Promise<void> }>
}

/** Every world in which the same requirement is to be seen. */
export const worlds: readonly World[] = [{ name: 'on real sockets', start: () => startRealAgent() }]
