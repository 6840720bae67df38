import { err, ok, type Result } from '../../base/result.ts'
import type { Closable } from '../../env/async.ts'
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
  /** Delivers a datagram to what the agent has bound to this port. Answers are dropped. */
  datagram(port: number, from: Endpoint, bytes: Uint8Array): void
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
  const datagrams = new Map<number, (from: Endpoint, bytes: Uint8Array) => void>()
  let served: HttpHandler = async () => ({ status: 503, headers: [], body: 'no agent is here yet' })
  const { random, crypto, machine } = real
  const env: Env = {
    clock: time,
    timers: time,
    random,
    crypto,
    machine,
    udp: boundTo(datagrams, later),
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
    datagram: (port, from, bytes) => datagrams.get(port)?.(from, bytes),
  }
}

function boundTo(handlers: Map<number, (from: Endpoint, bytes: Uint8Array) => void>, later: Later): Udp {
  return {
    bind: (at, onDatagram) => {
      handlers.set(at.port, onDatagram)
      return later(ok({ local: at, send: () => undefined, close: () => handlers.delete(at.port) }))
    },
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
