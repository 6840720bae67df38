import { traceKinds } from '../report/trace-kinds.ts'
import type { Boot } from '../world/boot.ts'
import type { Machine } from '../world/machine.ts'

/** Numbers of operations in the trace. */
export const diskOperations = {
  open: 1,
  list: 2,
  makeDirectory: 3,
  syncDirectory: 4,
  rename: 5,
  remove: 6,
  stat: 7,
  lock: 8,
  unlock: 9,
  read: 10,
  write: 11,
  sync: 12,
  truncate: 13,
  size: 14,
  close: 15,
} as const

export type DiskOperation = (typeof diskOperations)[keyof typeof diskOperations]

/** Settles a promise with what `act` gives at that time, or when the disk goes on after a stall. */
export function finishLater<T>(
  machine: Machine,
  boot: Boot,
  lane: object | undefined,
  operation: DiskOperation,
  atUs: number,
  act: () => T,
): Promise<T> {
  const { kernel, disk } = machine
  const deferred = kernel.deferred<T>(boot)
  const finish = (): void => {
    kernel.trace.add(traceKinds.diskDone, boot.node, operation)
    deferred.resolve(act())
  }
  const due = (): void => {
    if (!disk.isStalled) finish()
    else disk.hold(() => kernel.after(boot, lane, 0, 'disk', due))
  }
  kernel.after(boot, lane, atUs - kernel.nowUs, 'disk', due)
  return deferred.promise
}
