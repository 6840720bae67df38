import type { Env } from '../../src/env/env.ts'
import type { Batches } from '../../src/env/observe.ts'
import type { Trace } from '../report/trace.ts'
import type { Boot } from '../world/boot.ts'
import { SimClock } from './clock.ts'
import { SimCrypto } from './crypto.ts'
import { SimEnvDisk } from './disk.ts'
import { SimHttp } from './http.ts'
import { SimLog } from './log.ts'
import type { Machine } from './machine.ts'
import { SimMetrics } from './metrics.ts'
import { SimNames } from './names.ts'
import { SimProcesses } from './processes.ts'
import { SimRandom } from './random.ts'
import { SimTcp } from './tcp.ts'
import { SimTimers } from './timers.ts'
import { SimUdp } from './udp.ts'

/** The world that a simulated machine gives to one process. It ends with the process. */
export function createSimEnv(machine: Machine, boot: Boot): Env {
  const timers = new SimTimers(machine, boot, 'agent')
  const ownTimers = new SimTimers(machine, boot, 'environment')
  const tcp = new SimTcp(machine, boot)
  const log = new SimLog(machine, boot, ownTimers)
  return {
    clock: new SimClock(machine, boot),
    timers,
    random: new SimRandom(machine, boot),
    udp: new SimUdp(machine, boot),
    tcp,
    http: new SimHttp(machine, boot, tcp, ownTimers, log),
    disk: new SimEnvDisk(machine, boot),
    crypto: new SimCrypto(machine, boot),
    names: new SimNames(machine, boot),
    processes: new SimProcesses(machine, boot),
    machine: machine.facts,
    shipped: machine.kernel.platform.shipped,
    log,
    metrics: new SimMetrics(machine, boot),
    batches: batchesOf(machine.kernel.trace, machine.host.number),
    detach: (work) => {
      if (!machine.kernel.enter(boot)) return
      machine.kernel.turn.touched = true
      void work.then(undefined, (error: unknown) => machine.failed(error))
    },
    deferred: () => {
      machine.kernel.enter(boot)
      return machine.kernel.deferred(boot)
    },
  }
}

/**
 * For readers of the trace, work that waits in one turn and continues in another; undefined without a reader. Work that
 * continues once for several wake-ups may take many turns: it has an event of its own, which causes all of them, and
 * which each wake-up causes.
 */
function batchesOf(trace: Trace, node: number): Batches | undefined {
  const { teller } = trace
  if (teller === undefined) return undefined
  return {
    waits: (part) => teller.waits(part),
    together: (parts) => teller.together(parts),
    woken: (work) => teller.woken(work),
    goesOn: (work) => {
      const causes = teller.goesOn(work)
      if (causes !== undefined)
        teller.comesTo(trace.tell('note', node, { text: 'goes on for all that woke it' }, causes))
    },
  }
}
