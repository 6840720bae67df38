import { err, ok, type Result } from '../../src/base/result.ts'
import type { LookupFailure, Names } from '../../src/env/names.ts'
import { traceKinds } from '../report/trace-kinds.ts'
import type { Boot } from '../world/boot.ts'
import { microseconds } from '../world/time-range.ts'
import type { Machine } from './machine.ts'

type Found = Result<readonly string[], LookupFailure>

/** Duration of a look-up. */
const lookupMs = 1

/**
 * Names of the world: those of its machines, and those that were registered. No DNS server stands between it and a
 * machine.
 */
export class SimNames implements Names {
  readonly #machine: Machine
  readonly #boot: Boot

  constructor(machine: Machine, boot: Boot) {
    this.#machine = machine
    this.#boot = boot
  }

  lookup(name: string, timeoutMs: number): Promise<Found> {
    const { kernel, network, host } = this.#machine
    if (!kernel.enter(this.#boot)) return kernel.never()
    kernel.trace.addText(traceKinds.lookup, host.number, 0, 0, 0, name)
    if (timeoutMs < lookupMs) {
      const late: Found = err({ kind: 'timeout', name, message: `no answer within ${timeoutMs} ms` })
      return kernel.answer(this.#boot, microseconds(Math.max(0, timeoutMs)), 'lookup', () => late)
    }
    return kernel.answer(this.#boot, microseconds(lookupMs), 'lookup', (): Found => {
      const addresses = network.addressesOf(name)
      return addresses.length > 0 ? ok(addresses) : err({ kind: 'not-found', name, message: 'no such name' })
    })
  }
}
