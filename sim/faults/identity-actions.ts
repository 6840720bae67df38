import { z } from 'zod'
import { err, ok } from '../../src/base/result.ts'
import { selector } from '../notation/fields.ts'
import { action, type Performed } from './fault-world.ts'

export const rename = action(
  z
    .strictObject({
      nodes: selector,
      to: z
        .string()
        .regex(/^[a-zA-Z0-9-]{1,63}$/, 'a name of an agent is a DNS label')
        .optional()
        .describe('Another name of one node; if absent, a name that the agent may have had: c1, c1-a or c1-b.'),
    })
    .describe(
      'Kills these agents, and starts each again with another node_name, the same node ID and the same data. Steps and faults still name the machine.',
    ),
  (world, { nodes: selected, to }, scope): Performed => {
    const { changes } = world.cluster
    const nodes = world.select(selected, scope)
    if (nodes.length === 0) return err(`rename: '${selected.text}' matches no node now`)
    if (to !== undefined && nodes.length > 1)
      return err(`rename: '${selected.text}' matches several nodes, and ${to} is one name`)
    const renamed = nodes.map((node) => {
      const name = to ?? (scope.draw.oneOf(changes.otherNames(node), (each) => each) as string)
      changes.rename(node, name)
      return `${node} to ${name}`
    })
    return ok({ text: `rename ${renamed.join(' ')}` })
  },
)

export const move = action(
  selector.describe(
    'Kills these agents, and starts each at another address with its name, its node ID and its data, as a container does. The address may be one that another agent has left. Servers below Raft protocol 3 stay: their address is their ID.',
  ),
  (world, selected, scope): Performed => {
    const { changes } = world.cluster
    const nodes = world.select(selected, scope)
    if (nodes.length === 0) return err(`move: '${selected.text}' matches no node now`)
    const moved = nodes.flatMap((node) => {
      const host = scope.draw.oneOf(changes.freeHosts(node), (each) => each)
      if (host === undefined) return []
      changes.move(node, host)
      return [`${node} to ${host}`]
    })
    return moved.length === 0
      ? err(`move: ${nodes.join(' ')} cannot have another address`)
      : ok({ text: `move ${moved.join(' ')}` })
  },
)
