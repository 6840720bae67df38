import type { Env } from '../env/env.ts'
import type { LogLevel } from '../env/observe.ts'
import { shippedFiles } from '../native/shipped-files.ts'
import { deferred } from './async.ts'
import { hostClock } from './clock.ts'
import { hostCrypto } from './crypto.ts'
import { hostDisk } from './disk.ts'
import { HostHttp } from './http.ts'
import { HostLog, type LogSink } from './log.ts'
import { createMachine } from './machine.ts'
import { HostMetrics } from './metrics.ts'
import { HostNames } from './names.ts'
import { OpenThings } from './open-things.ts'
import { HostProcesses } from './processes.ts'
import { HostProfiler } from './profiler.ts'
import { HostRandom } from './random.ts'
import { HostTcp } from './tcp.ts'
import { HostTimers } from './timers.ts'
import { HostUdp } from './udp.ts'

export interface HostEnvOptions {
  readonly logSink: LogSink
  readonly logLevel: LogLevel
  /** Log lines wait for `log.release()`. */
  readonly logHeld?: boolean
}

/** The world of a Node process. Each agent of a process has its own. */
export interface HostEnv extends Env {
  readonly log: HostLog
  readonly metrics: HostMetrics
  /**
   * Ends everything that this Env has opened: sockets, listeners, timers, child processes. Users close their own files.
   */
  close(): void
}

export function createHostEnv(options: HostEnvOptions): HostEnv {
  const timers = new HostTimers(hostClock)
  const log = new HostLog({ clock: hostClock, timers }, options.logSink, options.logLevel, options.logHeld)
  const open = new OpenThings()
  return {
    clock: hostClock,
    timers,
    random: new HostRandom(),
    udp: new HostUdp(open),
    tcp: new HostTcp(open, log),
    http: new HostHttp(open, log),
    disk: hostDisk,
    crypto: hostCrypto,
    names: new HostNames(open),
    processes: new HostProcesses(open),
    machine: createMachine(),
    shipped: shippedFiles(),
    log,
    metrics: new HostMetrics(hostClock),
    profiler: new HostProfiler(hostClock, timers),
    deferred,
    // A rejection has no handler, and so reaches the process's own: see fatal.ts.
    detach: (work) => void work,
    close: () => {
      timers.stop()
      open.closeAll()
    },
  }
}
