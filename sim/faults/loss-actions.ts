import { err, ok } from '../../src/base/result.ts'
import { selector } from '../notation/fields.ts'
import type { Selector } from '../notation/selector.ts'
import type { ActionScope } from './action-scope.ts'
import { action, type FaultWorld, type Performed } from './fault-world.ts'

export const wipe = action(
  selector.describe(
    'The machine is lost. An empty one with its name and address and a new node ID replaces it, and an operator removes the old ID from the consensus group. Skipped if too few servers would remain.',
  ),
  (world, given, scope) => lose(world, given, scope, 'wipe', (node) => world.cluster.replace(node, 'wipe')),
)

export const damageLog = action(
  selector.describe(
    'A crash, after which the newest file of the log is cut short or has altered bytes. Such a server must not start; it is replaced as by wipe. Skipped if too few servers would remain.',
  ),
  (world, given, scope) =>
    lose(world, given, scope, 'damage log', (node) =>
      world.cluster.damageLog(node, (bound) => scope.draw.below(bound)),
    ),
)

export const reimage = action(
  selector.describe(
    'The machine is reinstalled: the process dies, and an empty machine with its name and address and a new node ID replaces it. Like wipe, but no operator removes the old ID.',
  ),
  (world, given, scope) => lose(world, given, scope, 'reimage', (node) => world.cluster.replace(node, 'reimage')),
)

export const rot = action(
  selector.describe(
    'One bit of the log or a snapshot flips, where it cannot be mistaken for a torn write. Such a server stops at its next start; it is replaced as by wipe. Skipped if too few servers would remain.',
  ),
  (world, given, scope) => {
    const spared = world.spared(given, 'rot', scope)
    if (!spared.ok) return spared
    const rotten = spared.value.filter((node) => world.cluster.rot(node, (bound) => scope.draw.below(bound)))
    if (rotten.length === 0) return err('rot: there is no log or snapshot yet in which a bit could flip')
    return ok({ text: `rot ${rotten.join(' ')}`, undo: () => {} })
  },
)

export const removePeer = action(
  selector.describe(
    'Asks the leader to remove these servers from the consensus group, as svc operator raft remove-peer does.',
  ),
  (world, given, scope) =>
    world.once(given, 'remove peer', scope, (node) => {
      if (world.maySpare(node)) world.cluster.orders.removePeer(node)
    }),
)

/** Ends servers whose data the others can spare, in a way that loses the data. `for` starts them again. */
function lose(
  world: FaultWorld,
  selector: Selector,
  scope: ActionScope,
  verb: string,
  end: (node: string) => void,
): Performed {
  const spared = world.spared(selector, verb, scope)
  if (!spared.ok) return spared
  const undos = spared.value.map((node) => {
    end(node)
    return world.startAgain(node)
  })
  return ok({ text: `${verb} ${spared.value.join(' ')}`, undo: () => undos.forEach((undo) => void undo()) })
}
