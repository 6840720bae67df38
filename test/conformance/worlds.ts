import type { GoldenTarget } from './golden/golden-target.ts'
import { startRealAgent } from './real-agent.ts'
import { startSimulatedAgent } from './simulated-agent.ts'

/** A place where an agent runs that leads a cluster of its own. */
export interface World {
  readonly name: string
  /** With a profile of `test/golden/profiles.json`. */
  start(profile: string): Promise<{ readonly target: GoldenTarget; stop(): Promise<void> }>
}

/** Every world in which the same requirement is to be seen. */
export const worlds: readonly World[] = [
  { name: 'on real sockets', start: (profile) => startRealAgent({ profile }) },
  { name: 'in the simulator', start: (profile) => startSimulatedAgent(profile) },
]
