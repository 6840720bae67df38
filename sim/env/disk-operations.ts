import { type diskOperations, traceKinds } from '../report/trace-kinds.ts'
import type { CauseList } from '../report/trace-record.ts'
import type { Boot } from '../world/boot.ts'
import { Draws } from '../world/decisions/draws.ts'
import type { Lane } from '../world/decisions/identity.ts'
import { SimEvent } from '../world/sim-event.ts'
import type { Machine } from './machine.ts'

export type DiskOperation = (typeof diskOperations)[keyof typeof diskOperations]

/**
 * Settles a promise with the result of `act` at that time, or when the disk resumes after a stall. `at`: the file whose
 * operations end in their order, or the random numbers of an operation without an order. `writers`: events of the
 * writes that end with it.
 */
export function finishLater<T>(
  machine: Machine,
  boot: Boot,
  at: Lane | Draws,
  operation: DiskOperation,
  atUs: number,
  act: () => T,
  writers: CauseList = [],
): Promise<T> {
  const deferred = machine.kernel.deferred<T>(boot)
  const finish = (): void => deferred.resolve(act())
  const event = new DiskEvent(machine, boot, at, operation, finish)
  // The line of the request.
  event.cause = machine.kernel.trace.last
  for (const writer of writers) event.causedBy(writer)
  if (machine.disk.setBy > 0 && machine.kernel.trace.teller !== undefined) event.causedBy(machine.disk.setBy)
  machine.disk.underWay++
  machine.kernel.queue.push(event, atUs)
  return deferred.promise
}

/** The end of an operation. */
class DiskEvent extends SimEvent {
  readonly #machine: Machine
  readonly #boot: Boot
  readonly #operation: DiskOperation
  readonly #finish: () => void

  constructor(machine: Machine, boot: Boot, at: Lane | Draws, operation: DiskOperation, finish: () => void) {
    super(at instanceof Draws ? undefined : at, at instanceof Draws ? at.a : at.tie)
    this.#machine = machine
    this.#boot = boot
    this.#operation = operation
    this.#finish = finish
  }

  holder(): Boot | undefined {
    return this.#boot
  }

  deliver(): void {
    const { kernel, disk } = this.#machine
    if (disk.isStalled) {
      disk.hold(() => {
        if (kernel.trace.teller !== undefined) this.causedBy(kernel.trace.last)
        kernel.queue.push(this, kernel.nowUs)
      })
      return
    }
    disk.underWay--
    kernel.trace.add(traceKinds.diskDone, this.#boot.node, this.#operation)
    this.#finish()
  }
}
