import { err, ok, type Result } from '../../base/result.ts'
import type { Closable, Deferred } from '../../env/async.ts'
import type { Disk, DiskFailure } from '../../env/disk.ts'
import type { Env } from '../../env/env.ts'
import type { HttpHandler } from '../../env/http.ts'
import type { Endpoint, Tcp, Udp } from '../../env/net.ts'
import type { Log, Metrics } from '../../env/observe.ts'
import { ScratchTime } from './scratch-time.ts'

/** The world of one scratch agent: without network, disk, processes, log and metrics, on time of its own. */
export interface ScratchWorld {
  readonly env: Env
  readonly time: ScratchTime
  /** Passes a request to the handler that the agent serves HTTP with, in a turn of its own. */
  readonly http: HttpHandler
  /** Delivers a datagram to what the agent has bound to this port. Resolves to the next one that is sent to `from`. */
  datagram(port: number, from: Endpoint, bytes: Uint8Array): Promise<Uint8Array>
}

/** Settles in a turn of the scratch agent's time, as each answer of an Env does. */
type Later = <T>(value: T) => Promise<T>

/** `onFailure`: called when work that the agent detached has failed. */
export function scratchWorld(real: Env, onFailure: (reason: Error) => void): ScratchWorld {
  const time = new ScratchTime(real.clock)
  const later: Later = (value) => {
    const answer = real.deferred<typeof value>()
    time.after(0, () => answer.resolve(value))
    return answer.promise
  }
  const sockets = new ScratchSockets(real, later)
  let served: HttpHandler = async () => ({ status: 503, headers: [], body: 'no agent is here yet' })
  const { random, crypto, machine } = real
  const env: Env = {
    clock: time,
    timers: time,
    random,
    crypto,
    machine,
    udp: sockets,
    tcp: withoutPeers(later),
    http: {
      serve: (at, handler) => {
        served = handler
        return later(ok({ local: at, renewTls: () => undefined, close: () => undefined }))
      },
      request: (to) => later(err({ kind: 'refused', to })),
      requestHttp2: (to) => later(err({ kind: 'refused', to })),
    },
    disk: withoutFiles(later),
    names: { lookup: (name) => later(err({ kind: 'not-found', name, message: 'a scratch agent has no names' })) },
    processes: { run: ([program]) => later(err({ kind: 'not-found', program, message: 'it has no programs' })) },
    shipped: { file: () => undefined },
    log: silentLog,
    metrics: silentMetrics,
    detach: (work) => real.detach(work.then(undefined, onFailure)),
    deferred: () => real.deferred(),
  }
  return {
    env,
    time,
    http: async (request) => {
      await later(undefined)
      return served(request)
    },
    datagram: (port, from, bytes) => sockets.exchange(port, from, bytes),
  }
}

/** Of what the agent sends, only the answer to the present question arrives anywhere. */
class ScratchSockets implements Udp {
  readonly #real: Pick<Env, 'deferred'>
  readonly #later: Later
  readonly #handlers = new Map<number, (from: Endpoint, bytes: Uint8Array) => void>()
  #asking: { readonly from: Endpoint; readonly answer: Deferred<Uint8Array> } | undefined

  constructor(real: Pick<Env, 'deferred'>, later: Later) {
    this.#real = real
    this.#later = later
  }

  bind(at: Endpoint, onDatagram: (from: Endpoint, bytes: Uint8Array) => void): ReturnType<Udp['bind']> {
    this.#handlers.set(at.port, onDatagram)
    const send = (to: Endpoint, bytes: Uint8Array): void => {
      if (to.port === this.#asking?.from.port) this.#asking.answer.resolve(bytes)
    }
    return this.#later(ok({ local: at, send, close: () => this.#handlers.delete(at.port) }))
  }

  exchange(port: number, from: Endpoint, bytes: Uint8Array): Promise<Uint8Array> {
    const answer = this.#real.deferred<Uint8Array>()
    this.#asking = { from, answer }
    this.#handlers.get(port)?.(from, bytes)
    return answer.promise
  }
}

function withoutPeers(later: Later): Tcp {
  return {
    dial: (to) => later(err({ kind: 'refused', to })),
    listen: (at) => later(ok({ local: at, renewTls: () => undefined, close: () => undefined })),
    tlsProblem: () => undefined,
  }
}

function withoutFiles(later: Later): Disk {
  const none = (path: string): Promise<Result<never, DiskFailure>> =>
    later(err({ kind: 'not-found', path, message: 'a scratch agent has no files' }))
  return {
    open: none,
    list: none,
    makeDirectory: none,
    syncDirectory: none,
    rename: none,
    remove: none,
    stat: none,
    realPath: none,
    lock: none,
  }
}

const nothing: Closable = { close: () => undefined }

const silentLog: Log = {
  write: () => undefined,
  enabled: () => false,
  follow: () => ({ recent: [], ...nothing }),
}

const silentMetrics: Metrics = {
  count: () => undefined,
  gauge: () => undefined,
  sample: () => undefined,
  snapshot: () => [],
}
