import type { Agent } from '../../src/agent/assembly/agent.ts'
import { productName } from '../../src/model/names.ts'
import type { ServerSeen } from '../checkers/access/access-facts.ts'

/** Servers as an agent's gossip pools see them: those of its own datacenter, then those of the others. */
export function serversSeen(agent: Agent | undefined): readonly ServerSeen[] {
  if (agent === undefined) return []
  const { datacenter } = agent.self()
  const near = seenIn(agent.lan)
  const far = agent.wan === undefined ? [] : seenIn(agent.wan).filter((server) => server.datacenter !== datacenter)
  return [...near, ...far]
}

function seenIn(pool: Agent['lan']): readonly ServerSeen[] {
  return pool.members().flatMap(({ name, status, tags }) => {
    if (tags['role'] !== productName) return []
    return [{ id: tags['id'], name, status, datacenter: tags['dc'] ?? '', acls: tags['acls'] }]
  })
}
