import { z } from 'zod'
import { err, ok } from '../../src/base/result.ts'
import { chance, duration, durationRange, selector } from '../notation/fields.ts'
import { type Selector, selectorOf } from '../notation/selector.ts'
import { given, sidesOf } from './action-scope.ts'
import { action } from './fault-world.ts'

export const partition = action(
  z
    .union([
      selector,
      z.strictObject({
        groups: z
          .array(selector)
          .min(2)
          .describe(
            'The sides, each a selection: [[s1, s2], leader, others]. No agent may be on two sides; an agent on no side keeps all its links.',
          ),
      }),
    ])
    .describe('Separate these from all other agents, or several groups from one another.'),
  ({ cluster, cuts }, wanted, scope) => {
    const sides = 'groups' in wanted ? wanted.groups : [wanted]
    const groups: (readonly string[])[] = sidesOf(sides, cluster, scope)
    if (!('groups' in wanted)) {
      const [side = []] = groups
      groups.push(cluster.nodeNames.filter((node) => !side.includes(node)))
    }
    const empty = groups.findIndex((group) => group.length === 0)
    if (empty >= 0) return err(`partition: '${sides[empty]?.text ?? 'other nodes'}' matches no node now`)
    const twice = groups.flat().find((node, at, all) => all.indexOf(node) < at)
    if (twice !== undefined) return err(`partition: ${twice} is on two sides now`)
    const text = `partition ${groups.map((group) => group.join(' ')).join(' | ')}`
    return ok({ text, undo: cuts.partition(groups) })
  },
)

const cutEnds = z.strictObject({
  from: selector,
  to: selector.default(() => selectorOfText('others')).describe('All other servers if absent.'),
  'one way': z.boolean().default(false).describe('Only messages from the first to the second are lost.'),
})

function selectorOfText(text: string): Selector {
  const parsed = selectorOf(text)
  if (!parsed.ok) throw new Error(parsed.error)
  return parsed.value
}

/** `half its links` is for a fault that a node's event triggers. */
export const cut = action(
  z
    .union([
      z
        .literal('half its links')
        .transform(() => ({ from: selectorOfText('it'), to: selectorOfText('half of others'), 'one way': false })),
      cutEnds,
    ])
    .describe(
      "Links that carry nothing: 'half its links' (in a fault, of the node it is about), or {from, to, one way}.",
    ),
  (world, wanted, scope) => {
    const from = world.select(wanted.from, scope)
    const to = world.select(wanted.to, scope, from).filter((node) => !from.includes(node))
    if (from.length === 0 || to.length === 0) return err('cut: one end matches no node now')
    const arrow = wanted['one way'] ? '->' : '<->'
    const undo = world.cuts.cut(from, to, wanted['one way'])
    return ok({ text: `cut ${from.join(' ')} ${arrow} ${to.join(' ')}`, undo })
  },
)

export const slowNetwork = action(
  z
    .strictObject({
      of: selector,
      latency: durationRange.optional().describe('Latency.'),
      tail: duration.optional().describe('Mean of an additional delay that is mostly short and sometimes very long.'),
      loss: chance.optional(),
      duplicate: chance.optional(),
      reorder: chance.optional(),
      corrupt: chance.optional().describe('Chance that one bit of a datagram is flipped.'),
      'one way': z.boolean().default(false).describe('Only what these nodes send is affected.'),
    })
    .describe('Changes every link of these nodes.'),
  (world, { of, latency, tail, loss, duplicate, reorder, corrupt, 'one way': oneWay }, scope) => {
    const setting = {
      ...given('latencyMs', latency),
      ...(loss === undefined ? {} : { loss }),
      ...(duplicate === undefined ? {} : { duplicate }),
      ...(reorder === undefined ? {} : { reorder }),
      ...(tail === undefined ? {} : { jitterMs: tail }),
      ...(corrupt === undefined ? {} : { corrupt }),
      ...(oneWay ? { oneWay } : {}),
    }
    return world.each(of, 'slow network', scope, (node) => world.links.lay(node, setting))
  },
)

export const blockDatagrams = action(
  selector.describe('A firewall drops every datagram (UDP) from and to these nodes; connections pass.'),
  (world, nodes, scope) =>
    world.each(nodes, 'block datagrams', scope, (node) => world.blockedDatagrams.lay(node, true)),
)

export const refuseConnections = action(
  selector.describe('Dials to these nodes are refused; existing connections stay. The nodes dial others as before.'),
  (world, nodes, scope) => world.each(nodes, 'refuse connections', scope, (node) => world.refusals.lay(node, true)),
)

export const breakConnections = action(
  selector.describe('Resets every TCP connection of these nodes; they keep running and listening.'),
  (world, nodes, scope) =>
    world.once(nodes, 'break connections of', scope, (node) => world.machines.breakConnections(node)),
)

export const heal = action(
  z
    .union([z.literal('everything'), selector, z.strictObject({ among: selector })])
    .describe(
      "Restores all links, those of these nodes, or those between them: 'everything', 's1', { among: [s1, s2] }.",
    ),
  (world, nodes, scope) => {
    if (typeof nodes === 'object' && 'among' in nodes) {
      const named = world.select(nodes.among, scope)
      if (named.length < 2) return err(`heal: '${nodes.among.text}' matches fewer than two nodes now`)
      world.cuts.healAmong(named)
      return ok({ text: `heal the links among ${named.join(' ')}` })
    }
    if (nodes !== 'everything') return world.once(nodes, 'heal', scope, (node) => world.cuts.heal([node]))
    world.cuts.heal(undefined)
    return ok({ text: 'heal everything' })
  },
)

export const forgeGossip = action(
  z
    .strictObject({
      at: selector.describe('The node that receives it. The sender appears to be the node that it is about.'),
      about: selector.describe('The node that it is about.'),
      says: z.enum(['suspect', 'dead']),
      incarnation: z.int().min(0).max(4_294_967_295),
    })
    .describe('An unencrypted gossip packet that no member has sent.'),
  (world, { at, about, says, incarnation }, scope) => {
    const [node] = world.select(about, scope)
    if (node === undefined) return err(`forge gossip: '${about.text}' matches no node now`)
    return world.once(at, `forge gossip, ${node} is ${says} at ${incarnation}, to`, scope, (to) => {
      world.machines.forgeGossip(to, { kind: says, incarnation, node, from: to })
    })
  },
)
