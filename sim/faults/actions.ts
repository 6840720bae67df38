import type { z } from 'zod'
import {
  diskErrors,
  failFsync,
  failOpen,
  failRead,
  failRename,
  failWrite,
  fillDisk,
  readOnlyDisk,
  slowDisk,
  stallDisk,
} from './disk-actions.ts'
import type { Action } from './fault-world.ts'
import { move, rename } from './identity-actions.ts'
import {
  blockDatagrams,
  breakConnections,
  cut,
  forgeGossip,
  heal,
  partition,
  refuseConnections,
  slowNetwork,
} from './link-actions.ts'
import { damageLog, reimage, removePeer, rot, wipe } from './loss-actions.ts'
import { clockRate, secretsManager, stepClock, webServer } from './machine-actions.ts'
import { crash, interrupt, kill, leave, pause, restart, resume, stop, transferLeadership } from './process-actions.ts'

/** Actions that `for:` can undo, by their keys in the language, in the order of its page. */
const undoable = {
  crash,
  kill,
  stop,
  interrupt,
  wipe,
  'damage log': damageLog,
  reimage,
  pause,
  partition,
  cut,
  'slow disk': slowDisk,
  'stall disk': stallDisk,
  'fill disk': fillDisk,
  'disk errors': diskErrors,
  'read-only disk': readOnlyDisk,
  'slow network': slowNetwork,
  'refuse connections': refuseConnections,
  'block datagrams': blockDatagrams,
  'clock rate': clockRate,
  'secrets manager': secretsManager,
  'web server': webServer,
}

/** Actions that `for:` cannot undo. */
const forGood = {
  'fail fsync': failFsync,
  'fail read': failRead,
  'fail write': failWrite,
  'fail open': failOpen,
  'fail rename': failRename,
  rot,
  'remove peer': removePeer,
  'break connections': breakConnections,
  restart,
  rename,
  move,
  leave,
  resume,
  heal,
  'step clock': stepClock,
  'forge gossip': forgeGossip,
  'transfer leadership': transferLeadership,
}

/** By name: every action that faults and steps can do. */
export const actions: Readonly<Record<string, Action>> = { ...undoable, ...forGood }

export const undoableShape = shapeOf(undoable)
export const actionShape = { ...undoableShape, ...shapeOf(forGood) }

type ShapeOf<Rows extends Readonly<Record<string, Action>>> = {
  readonly [Name in keyof Rows]: z.ZodOptional<Rows[Name]['schema']>
}

/** The keys of an item in a file, which has exactly one of them. */
function shapeOf<Rows extends Readonly<Record<string, Action>>>(rows: Rows): ShapeOf<Rows> {
  const keys = Object.entries(rows).map(([name, { schema }]) => [name, schema.optional()])
  return Object.fromEntries(keys) as ShapeOf<Rows>
}
