import { membershipCheckId } from '../../../src/model/catalog.ts'
import { segmentMetaKey } from '../../../src/model/naming/names.ts'
import { svcNaming } from '../../../src/model/naming/naming.ts'
import type { HeldCheck, HeldInstance, HeldNode } from '../../checkers/reads/held.ts'
import { settingsTold } from '../../checkers/reads/settings-told.ts'
import { telling } from '../../checkers/registrations/owing.ts'
import type { WorkloadRun } from '../kind.ts'

export interface Held {
  readonly nodes: readonly HeldNode[]
  readonly instances: readonly HeldInstance[]
}

/**
 * The instances of a service that the agents of a datacenter have. Undefined: one of them does not run, is not in
 * contact, is not alive in the leader's pool, or has not synced everything since.
 */
export function heldIn(run: WorkloadRun, datacenter: string, service: string): Held | undefined {
  const { cluster } = run
  const checks = run.checksOf(datacenter)
  const leader = cluster.leader(datacenter)
  const members = leader === undefined ? [] : (cluster.agentOf(leader)?.lan.members() ?? [])
  const alive = new Set(members.filter(({ status }) => status === 'alive').map(({ name }) => name))
  const nodes: HeldNode[] = []
  const instances: HeldInstance[] = []
  for (const name of cluster.nodeNames) {
    if (cluster.datacenterOf(name) !== datacenter) continue
    const local = cluster.agentOf(name)?.local
    const contactUs = run.contactSinceUs(name)
    if (local === undefined || contactUs === undefined || !alive.has(cluster.agentNameOf(name))) return undefined
    const own = local.services().filter((each) => each.service === service)
    if (own.length > 0 && !checks.of(telling).isAtOnce(name, contactUs, run.simulation.nowUs)) return undefined
    const all = local.checks()
    const ofService = (id: string): readonly HeldCheck[] =>
      all.flatMap(({ serviceId, checkId, status }) => (serviceId === id ? [{ id: checkId, status }] : []))
    const node: HeldNode = {
      name: cluster.agentNameOf(name),
      isServer: cluster.serverNames.includes(name),
      address: cluster.identityOf(name).host,
      meta: [...checks.of(settingsTold).nodeMetaOf(name), [segmentMetaKey(svcNaming), '']],
      checks: [{ id: membershipCheckId, status: 'passing' }, ...ofService('')],
    }
    nodes.push(node)
    for (const { id, address, port, tags, meta, weights, mesh } of own) {
      const inMesh = mesh?.native === true
      instances.push({ node, id, address, port, tags, meta: meta ?? [], weights, inMesh, checks: ofService(id) })
    }
  }
  return { nodes, instances }
}
