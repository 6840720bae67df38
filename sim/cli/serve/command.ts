import type { Closable } from '../../../src/env/async.ts'
import { endpointText, type ListenFailure } from '../../../src/env/net.ts'
import { LibraryCluster, type PageAndSeed } from '../../library/library-cluster.ts'
import { libraryPage } from '../../library/library-page.ts'
import { withoutDemands } from '../../scenario/demands.ts'
import { usualSeed } from '../../scenario/language/load.ts'
import { readScenario } from '../files.ts'
import { exits, type SimTerminal } from '../terminal.ts'
import { Admin } from './admin.ts'
import { Front } from './front.ts'
import { Pace } from './pace.ts'
import { agentsMax, portsOf, portTable } from './ports.ts'

export interface ServeFlags {
  readonly servers?: number
  readonly clients?: number
  readonly release?: string
  readonly acl?: 'allow' | 'deny'
  readonly seed?: number
  readonly host: string
  readonly port: number
  readonly rate: number
  readonly rest?: boolean
}

/** Pause before virtual time is looked at again, in milliseconds, so that other processes can run. */
const idleMs = 2

/**
 * `svc-sim serve`: simulated agents behind real ports, until a signal ends it; the exit code is that of the invariants.
 */
export async function serve(file: string | undefined, flags: ServeFlags, terminal: SimTerminal): Promise<number> {
  const page = await pageOf(file, flags, terminal)
  if (typeof page === 'string') {
    terminal.error(`${page}\n`)
    return exits.usage
  }
  const cluster = new LibraryCluster(page, terminal.createPlatform, (act) => act())
  if (cluster.nodes.length > agentsMax) {
    await cluster.close(false)
    terminal.error(
      `serve has ports for ${agentsMax} agents, and the cluster has ${cluster.nodes.length}: use a smaller one\n`,
    )
    return exits.usage
  }
  const served = new Served(cluster, file === undefined, flags, terminal)
  return served.run()
}

async function pageOf(
  file: string | undefined,
  { servers, clients, release, acl, seed }: ServeFlags,
  { disk }: SimTerminal,
): Promise<PageAndSeed | string> {
  const own = { servers, clients, release, acl }
  const given = Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined))
  if (file === undefined) {
    const loaded = libraryPage({ ...(seed === undefined ? {} : { seed }), ...given })
    return loaded.ok ? { loaded: loaded.value, seed: seed ?? usualSeed(loaded.value) } : loaded.error
  }
  const [option] = Object.keys(given)
  if (option !== undefined) return `the scenario says what the cluster is: give either it or --${option}`
  const read = await readScenario(disk, file)
  if (!read.ok) return read.error.join('\n')
  const { loaded } = read.value
  return { loaded: withoutDemands(loaded), seed: seed ?? usualSeed(loaded) }
}

class Served {
  readonly #cluster: LibraryCluster
  /** All agents join before the ports open; agents of a scenario may have reasons not to join. */
  readonly #joins: boolean
  readonly #flags: ServeFlags
  readonly #terminal: SimTerminal
  readonly #front: Front
  readonly #pace: Pace
  readonly #admin: Admin
  #failure: string | undefined

  constructor(cluster: LibraryCluster, joins: boolean, flags: ServeFlags, terminal: SimTerminal) {
    const { host: env, wallMs } = terminal
    const deferred = <T>() => env.deferred<T>()
    const idle = (): Promise<void> => {
      const { promise, resolve } = deferred<void>()
      env.timers.after(idleMs, () => resolve())
      return promise
    }
    this.#cluster = cluster
    this.#joins = joins
    this.#flags = flags
    this.#terminal = terminal
    this.#front = new Front({ env, cluster, name: 'svc-sim serve' })
    this.#pace = new Pace({ cluster, rate: flags.rate, wallMs, idle })
    const failure = (): string | undefined => this.#failure
    this.#admin = new Admin({ cluster, pace: this.#pace, status: () => this.#status(), failure, deferred })
  }

  async run(): Promise<number> {
    const { host: env, onSignal, error } = this.#terminal
    const ended = env.deferred<undefined>()
    const end = (): void => {
      this.#pace.stop()
      ended.resolve(undefined)
    }
    const signals = (['SIGINT', 'SIGTERM'] as const).map((signal) => onSignal(signal, end))
    const admin = await this.#open()
    if (admin === undefined) {
      await this.#close()
      return exits.usage
    }
    this.#tell()
    try {
      await this.#pace.run()
    } catch (cause) {
      // The world stays open for inspection: the story says what led to the failure.
      this.#failure = textOf(cause)
      this.#front.stop('an invariant is broken, and time stands still: see GET /story')
      this.#pace.endJumps()
      error(`${this.#failure}\ntime stands still; SIGINT ends\n`)
    }
    await ended.promise
    admin.close()
    for (const signal of signals) signal.close()
    return this.#verdict()
  }

  /** Opens every port; undefined: one cannot be opened, or the cluster did not start, which was reported. */
  async #open(): Promise<Closable | undefined> {
    const { host: env, error } = this.#terminal
    const { host, port } = this.#flags
    const refused = (failure: ListenFailure): undefined => {
      error(`cannot listen on ${endpointText(failure.at)} (${failure.kind}): give another --port or --host\n`)
      return undefined
    }
    try {
      if (this.#joins) await this.#cluster.start()
      else await this.#cluster.begin()
    } catch (cause) {
      error(`${textOf(cause)}\n`)
      return undefined
    }
    this.#pace.setRate(this.#flags.rate)
    for (const [at, node] of this.#cluster.nodes.entries()) {
      const opened = await this.#front.open(node, host, portsOf(port, at))
      if (!opened.ok) return refused(opened.error)
    }
    const admin = await env.http.serve({ host, port }, (request) => this.#admin.handle(request))
    return admin.ok ? admin.value : refused(admin.error)
  }

  #tell(): void {
    const { host, port, rate } = this.#flags
    const { out } = this.#terminal
    out(portTable(host, port, this.#cluster.nodes))
    const time = rate === 0 ? 'time stands still until POST /advance' : `${rate} virtual seconds in a second`
    out(`administration: http://${endpointText({ host, port })} (GET /status), ${time}; SIGINT ends\n`)
  }

  #status(): object {
    const { taken, waiting } = this.#front.counts
    const { leader, nowMs, nodes } = this.#cluster
    return {
      nowMs,
      rate: this.#pace.rate,
      lostMs: Math.round(this.#pace.lostMs),
      leader: leader ?? null,
      agents: nodes.map((node, at) => {
        return { node, running: this.#cluster.isRunning(node), ...portsOf(this.#flags.port, at) }
      }),
      requests: { taken, waiting },
      invariants: this.#failure === undefined ? 'hold' : 'broken',
      failure: this.#failure ?? null,
    }
  }

  async #verdict(): Promise<number> {
    const { nowMs } = this.#cluster
    const { taken } = this.#front.counts
    const failure = (await this.#close()) ?? this.#failure
    const seconds = (nowMs / 1000).toFixed(1)
    const came = `${taken} ${taken === 1 ? 'request' : 'requests'} in ${seconds} virtual s`
    if (failure !== undefined && this.#failure === undefined) this.#terminal.error(`${failure}\n`)
    this.#terminal.out(failure === undefined ? `passed: every invariant held, ${came}\n` : `FAILED after ${came}\n`)
    return failure === undefined ? exits.passed : exits.failed
  }

  /** The broken law at the end, if there is one. */
  async #close(): Promise<string | undefined> {
    this.#front.close()
    try {
      await this.#cluster.close(this.#flags.rest === true)
      return undefined
    } catch (cause) {
      return textOf(cause)
    }
  }
}

function textOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}
