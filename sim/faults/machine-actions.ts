import { z } from 'zod'
import { err, ok } from '../../src/base/result.ts'
import { type WebState, webStates } from '../cluster/web-servers.ts'
import { durationRange, percentRange, selector, signedDurationRange } from '../notation/fields.ts'
import { type Trouble, troubles } from '../secrets-manager/troubles.ts'
import type { FailingOperation } from '../world/disk/disk.ts'
import { drawRange, given } from './action-scope.ts'
import { action } from './fault-world.ts'

export const slowDisk = action(
  z
    .strictObject({
      nodes: selector,
      latency: durationRange.optional().describe('Time of a read or a write.'),
      fsync: durationRange.optional(),
    })
    .describe('Reads, writes or syncs of these nodes take this time.'),
  (world, { nodes, latency, fsync }, scope) => {
    const setting = { ...given('operationMs', latency), ...given('syncMs', fsync) }
    return world.each(nodes, 'slow disk', scope, (node) => world.disks.lay(node, setting))
  },
)

export const stallDisk = action(
  selector.describe('Operations of the disk hang until it resumes.'),
  (world, nodes, scope) => world.each(nodes, 'stall disk', scope, (node) => world.stalls.lay(node, true)),
)

export const fillDisk = action(selector.describe('The disk has no space left.'), (world, nodes, scope) =>
  world.each(nodes, 'fill disk', scope, (node) => world.disks.lay(node, { full: true })),
)

/** `about`: what the language page says of it. */
const failNext = (name: string, operation: FailingOperation, about: string) =>
  action(selector.describe(about), (world, nodes, scope) =>
    world.once(nodes, name, scope, (node) => world.machines.failNext(node, operation)),
  )

export const failFsync = failNext(
  'fail fsync',
  'sync',
  'The next sync fails, and what it should have kept may be lost.',
)
export const failRead = failNext('fail read', 'read', 'The next read of a file fails.')
export const failWrite = failNext('fail write', 'write', 'The next write of a file fails after a part of it.')
export const failOpen = failNext('fail open', 'open', 'The next opening of a file fails; a new file is not made.')
export const failRename = failNext('fail rename', 'rename', 'The next renaming of a file fails; it keeps its name.')

export const clockRate = action(
  z
    .strictObject({ nodes: selector, rate: percentRange })
    .describe('Clocks of these nodes run faster or slower than true time by this rate.'),
  (world, { nodes, rate }, scope) =>
    world.each(nodes, 'clock rate', scope, (node) => world.rates.lay(node, drawRange(scope.draw, rate))),
)

export const stepClock = action(
  z.strictObject({ nodes: selector, by: signedDurationRange }).describe('The wall clocks of these nodes jump.'),
  (world, { nodes, by }, scope) =>
    world.once(nodes, 'step clock', scope, (node) => world.machines.stepClock(node, drawRange(scope.draw, by))),
)

const troublesText = Object.entries(troubles)
  .map(([trouble, what]) => `${trouble} ${what}`)
  .join(', ')

export const secretsManager = action(
  z
    .enum(Object.keys(troubles) as [Trouble, ...Trouble[]])
    .describe(`State of the secrets manager from now on: ${troublesText}.`),
  ({ cluster }, trouble) => {
    if (cluster.secretsManager === undefined) return err('secrets manager: there is none')
    const undo = cluster.secretsManager.suffer(trouble)
    return ok({ text: `the secrets manager is ${trouble}`, undo })
  },
)

const statesText = Object.entries(webStates)
  .map(([state, what]) => `${state} ${what}`)
  .join(', ')

export const webServer = action(
  z
    .strictObject({
      at: selector,
      is: z.enum(Object.keys(webStates) as [WebState, ...WebState[]]),
    })
    .describe(`State of the web servers on the machines of these nodes from now on: ${statesText}.`),
  (world, { at, is }, scope) => {
    const lacking = world.select(at, scope).find((node) => !world.cluster.webServers.has(node))
    if (lacking !== undefined) return err(`web server: there is none on ${lacking}`)
    const deed = world.each(at, 'web server of', scope, (node) => {
      world.machines.setWebServers(node, is)
      return () => world.machines.setWebServers(node, 'well')
    })
    return deed.ok ? ok({ ...deed.value, text: `${deed.value.text} is ${is}` }) : deed
  },
)
