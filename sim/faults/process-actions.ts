import { z } from 'zod'
import { err, ok } from '../../src/base/result.ts'
import type { EndingSignal } from '../cluster/cluster-node.ts'
import { selector } from '../notation/fields.ts'
import type { Selector } from '../notation/selector.ts'
import type { ActionScope } from './action-scope.ts'
import { action, type FaultWorld, type Performed } from './fault-world.ts'

export const crash = action(
  selector.describe(
    'Cuts the power: the process dies, and unsynced writes may be lost or torn, also those of a process that was killed before. From then on the machine refuses connections, as one that boots at once: partition it as well if it is to be silent.',
  ),
  (world, given, scope) => end(world, given, scope, 'crash', (node) => world.cluster.crash(node)),
)

export const kill = action(
  selector.describe('Kills only the process, as kill -9 does: the disk keeps all writes, synced or not.'),
  (world, given, scope) => end(world, given, scope, 'kill', (node) => world.cluster.crash(node, 'kept')),
)

export const pause = action(
  selector.describe('Pauses the process, as SIGSTOP does; its clocks continue.'),
  (world, given, scope) => {
    const { cluster, pauses } = world
    return world.each(given, 'pause', scope, (node) =>
      cluster.isRunning(node) ? pauses.lay(node, cluster.bootOf(node)) : undefined,
    )
  },
)

export const restart = action(
  selector.describe('Starts these nodes; those that run are crashed first.'),
  (world, given, scope) =>
    world.once(given, 'restart', scope, (node) => {
      if (world.cluster.isRunning(node)) world.cluster.crash(node)
      world.cluster.start(node)
    }),
)

export const leave = action(
  selector.describe(
    'Leaves in an orderly way, as svc leave does, and ends in order. The node stays away until a restart names it.',
  ),
  (world, given, scope) => {
    const nodes = world.select(given, scope)
    if (nodes.length === 0) return err(`leave: '${given.text}' matches no node now`)
    const deaf = nodes.filter((node) => world.cluster.agentOf(node) === undefined)
    if (deaf.length > 0) return err(`leave: no agent runs on ${deaf.join(' ')}, or it is still starting`)
    for (const node of nodes) if (world.maySpare(node)) world.cluster.orders.leave(node)
    return ok({ text: `leave ${nodes.join(' ')}` })
  },
)

export const stop = action(
  selector.describe(
    'Sends SIGTERM, as an init system does: with leave_on_terminate the agent leaves, otherwise it ends in order without leaving. A process that has not ended when the time of for is over is killed.',
  ),
  (world, given, scope) => bySignal(world, given, scope, 'stop', 'SIGTERM'),
)

export const interrupt = action(
  selector.describe('Sends SIGINT, as a terminal does: unless skip_leave_on_interrupt is set, the agent leaves.'),
  (world, given, scope) => bySignal(world, given, scope, 'interrupt', 'SIGINT'),
)

/** One that has not come up yet has no use for a signal: it is left alone. */
function bySignal(
  world: FaultWorld,
  selector: Selector,
  scope: ActionScope,
  verb: string,
  signal: EndingSignal,
): Performed {
  const { cluster } = world
  return world.each(selector, verb, scope, (node) => {
    if (cluster.agentOf(node) === undefined || cluster.nodeOf(node).paused) return () => {}
    if (cluster.orders.leavesBy(node, signal) && !world.maySpare(node)) return () => {}
    const boot = cluster.bootOf(node)
    cluster.orders.signal(node, signal)
    const again = world.startAgain(node)
    return () => {
      if (cluster.isRunning(node) && cluster.bootOf(node) === boot) cluster.crash(node, 'kept')
      again()
    }
  })
}

export const resume = action(selector.describe('Resumes a paused process.'), (world, given, scope) =>
  world.once(given, 'resume', scope, (node) => {
    world.pauses.clear(node)
    world.cluster.resume(node)
  }),
)

export const transferLeadership = action(
  z.strictObject({ to: selector.optional() }).describe('Asks the leader to transfer leadership.'),
  (world, { to }, scope) => {
    const target = to === undefined ? undefined : world.select(to, scope)[0]
    if (to !== undefined && target === undefined) return err(`transfer leadership: '${to.text}' matches no node now`)
    const leader = world.cluster.leader(target === undefined ? undefined : world.cluster.datacenterOf(target))
    if (leader === undefined) return err('transfer leadership: there is no leader now')
    world.cluster.orders.transferLeadership(leader, target)
    return ok({ text: `transfer leadership from ${leader}${target === undefined ? '' : ` to ${target}`}` })
  },
)

/** `for` starts it again, unless it was started already. */
function end(
  world: FaultWorld,
  selector: Selector,
  scope: ActionScope,
  verb: string,
  stop: (node: string) => void,
): Performed {
  return world.each(selector, verb, scope, (node) => {
    const ran = world.cluster.isRunning(node)
    stop(node)
    return ran ? world.startAgain(node) : undefined
  })
}
