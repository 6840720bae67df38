import { ask } from './ask.ts'
import type { GoldenTarget } from './golden/golden-target.ts'
import { profileFacts } from './profile.ts'
import { startRealAgent } from './real-agent.ts'
import { startSimulatedAgent } from './simulated-agent.ts'

interface Started {
  readonly target: GoldenTarget
  stop(): Promise<void>
}

/** A place where an agent runs that leads a cluster of its own. */
export interface World {
  readonly name: string
  /** With a profile of `test/golden/profiles.json`. */
  start(profile: string): Promise<Started>
}

/** Every world in which the same requirement is to be seen. */
export const worlds: readonly World[] = [
  { name: 'on real sockets', start: async (profile) => settled(await startRealAgent({ profile }), profile) },
  { name: 'in the simulator', start: async (profile) => settled(await startSimulatedAgent(profile), profile) },
]

const settleMs = 30_000
const retryMs = 50

/**
 * Waits until the catalog has the agent itself, as it had on the system that was recorded; or, where no caller may see
 * that yet, until access control has left its legacy mode. The mesh's first root is made beside that and takes long on
 * a busy machine, so it is waited for as well, where the mesh is on.
 */
export async function settled(started: Started, profile: string): Promise<Started> {
  const { target } = started
  const end = target.nowMs() + settleMs
  const { wait, token } = profileFacts(profile)
  for (;;) {
    const nodes = await ask(target, wait ? `GET /v1/catalog/nodes?token=${token}` : 'GET /v1/acl/policies')
    const own = wait ? nodes.status === 200 && nodes.text.includes('"lan"') : nodes.status === 403
    if (own && (await hasRoot(target))) return started
    if (target.nowMs() > end) break
    await target.pause(retryMs)
  }
  await started.stop()
  throw new Error('the agent did not come into its own catalog, or the mesh into a root')
}

/** Or will never have one, since the mesh is off or newer than the agent. */
async function hasRoot(target: GoldenTarget): Promise<boolean> {
  const roots = await ask(target, 'GET /v1/connect/ca/roots')
  return roots.status !== 200 || roots.text.includes('BEGIN CERTIFICATE')
}
