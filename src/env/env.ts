import type { Deferred } from './async.ts'
import type { Clock, Timers } from './clock.ts'
import type { Crypto } from './crypto.ts'
import type { Disk } from './disk.ts'
import type { Http } from './http.ts'
import type { Names } from './names.ts'
import type { Tcp, Udp } from './net.ts'
import type { Batches, Log, Metrics } from './observe.ts'
import type { Processes, RunningMachine } from './process.ts'
import type { Profiler } from './profiler.ts'
import type { Random } from './random.ts'
import type { Shipped } from './shipped.ts'

/**
 * All that an agent may ask of the world; one for each agent. `src/host` builds it from Node, `sim/env` from virtual
 * time. Results arrive in a turn of their own: an Env settles no promise and calls no callback from within the call
 * that asked for it.
 */
export interface Env {
  readonly clock: Clock
  readonly timers: Timers
  readonly random: Random
  readonly udp: Udp
  readonly tcp: Tcp
  readonly http: Http
  readonly disk: Disk
  readonly crypto: Crypto
  readonly names: Names
  readonly processes: Processes
  readonly machine: RunningMachine
  readonly shipped: Shipped
  readonly log: Log
  readonly metrics: Metrics
  /** Absent in the simulator, where agents share one process. */
  readonly profiler?: Profiler | undefined
  /** Observes work that waits to be done together with other work; absent, as in production: not observed. */
  readonly batches?: Batches | undefined
  /**
   * Keeps track of asynchronous work that nothing awaits. Code that starts such work from a plain callback (a timer,
   * arriving bytes) passes it to `detach`, so that the simulator knows of its continuations; no promise is left
   * floating with `void`. Such work handles its own failures: a rejection is a bug, and ends the process.
   */
  detach(work: Promise<unknown>): void
  /** The only maker of promises that agent code settles by hand. */
  deferred<T>(): Deferred<T>
}
