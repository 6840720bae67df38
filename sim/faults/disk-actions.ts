import { z } from 'zod'
import { chance, durationRange, selector } from '../notation/fields.ts'
import { type FailingOperation, failingOperations } from '../world/disk/disk-errors.ts'
import { given } from './action-scope.ts'
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
  world.each(nodes, 'fill disk', scope, (node) => world.fullDisks.lay(node, true)),
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

/** Files of an agent by what they are for; an operation on their directory is one on them. */
const fileClasses = {
  'the log': /^[/]data[/](raft[/]log|mdb)\b/,
  snapshots: /^[/]data[/]raft[/]snapshots\b/,
  registrations: /^[/]data[/](local|checks|services)\b/,
  'the pool': /^[/]data[/]serf\b/,
} as const
type FileClass = keyof typeof fileClasses
const anyFile = /^[/]data\b/

export const diskErrors = action(
  z
    .strictObject({
      nodes: selector,
      operations: z.array(z.enum(failingOperations)).min(1).optional().describe('All if absent.'),
      files: z
        .enum(Object.keys(fileClasses) as [FileClass, ...FileClass[]])
        .optional()
        .describe('Only files of this kind, and their directories; all of the data directory if absent.'),
      chance: chance.optional().describe('The chance of each operation to fail; all fail if absent.'),
    })
    .describe(
      'Operations of the disk fail with an I/O error: a write after a part of it; a sync although some of what it should keep is on the disk, and what is not will never be.',
    ),
  (world, { nodes, operations, files, chance: each }, scope) => {
    const setting = {
      operations: operations ?? failingOperations,
      files: files === undefined ? anyFile : fileClasses[files],
      chance: each ?? 1,
    }
    return world.each(nodes, 'disk errors', scope, (node) => world.diskErrors.lay(node, setting))
  },
)

export const readOnlyDisk = action(
  selector.describe(
    'The file system is read-only, as the operating system makes it after an error: every change and every sync fails.',
  ),
  (world, nodes, scope) => world.each(nodes, 'read-only disk', scope, (node) => world.readOnlyDisks.lay(node, anyFile)),
)
