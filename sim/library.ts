import * as actions from './library/actions.ts'
import { nameGiven, noAnswerText } from './library/given.ts'
import { type Answered, LibraryCluster } from './library/library-cluster.ts'
import { libraryPage, managementToken } from './library/library-page.ts'
import { runTest } from './library/run-test.ts'
import { seedsToRun } from './library/seeds-to-run.ts'
import { createPlatform } from './platform/platform.ts'

/**
 * `import { createCluster } from 'svc/sim'`: simulated clusters for the tests of other programs, with Node's own
 * Request and Response. The types of this file do not depend on others, because the package ships them: hence all that
 * a test can call is here, and the file is longer than others.
 */

/** A time span: milliseconds, or `'300ms'`, `'2s'`, `'72h'`. */
export type Span = number | string

export interface ClusterOptions {
  /** 1 if absent. The same seed and the same calls give the same run, event for event. */
  readonly seed?: number
  /** 3 if absent. Their names are s1, s2, … */
  readonly servers?: number
  /** Number of client agents; 0 if absent. Their names are c1, c2, … */
  readonly clients?: number
  /** The release of all agents: `'1.0.7'`. The newest if absent. */
  readonly release?: string
  /** Settings of every agent, as in a configuration file, but for names, addresses, ports and folders. */
  readonly config?: Readonly<Record<string, unknown>>
  /**
   * Access control with this default policy; off if absent. `managementToken` is the secret of a token with all rights.
   */
  readonly acl?: 'allow' | 'deny'
  /**
   * Further parts of a scenario's page: `network`, `disk`, `clocks`, `excuses`, `web servers`, `operator`, `faults`, …
   */
  readonly world?: Readonly<Record<string, unknown>>
}

export interface FetchInit extends RequestInit {
  /** Virtual time after which there is no answer; 60 s if absent. A blocking query needs more than its `wait`. */
  readonly within?: Span
}

/** One record of an answer: an address, a target, texts, or the fields of another type. */
export interface DnsRecord {
  readonly name: string
  readonly type: string
  /** Seconds. */
  readonly ttl: number
  readonly address?: string
  readonly target?: string
  readonly port?: number
  readonly priority?: number
  readonly weight?: number
  readonly texts?: readonly string[]
}

export interface DnsAnswer {
  /** `NOERROR`, `NXDOMAIN`, `SERVFAIL`, …, or a number that has no name. */
  readonly rcode: string | number
  readonly answers: readonly DnsRecord[]
  readonly additionals: readonly DnsRecord[]
}

/** The name of an agent, such as `s1`. A call throws if it is undefined, as `leader` is while there is no leader. */
export type NodeName = string | undefined

/** How the clocks of an agent change: by a jump of its wall clock, or by their rate (`'0.5%'`). */
export type ClockFault = { readonly step: string } | { readonly rate: string }

/**
 * `full`: no space is left; `stalled`: no operation ends; `failing sync`: the next sync fails; or how long operations
 * take.
 */
export type DiskFault = 'full' | 'stalled' | 'failing sync' | { readonly latency?: string; readonly fsync?: string }

export interface SimCluster {
  readonly seed: number
  /** Names of all agents: servers, then clients. */
  readonly nodes: readonly string[]
  /** Secret of the token with all rights, if access control is on. */
  readonly managementToken: string
  /** The present leader, if there is one. */
  readonly leader: string | undefined
  /** Virtual milliseconds since the world began. */
  readonly nowMs: number
  /**
   * Sends an HTTP request to an agent, and lets time pass until its answer. Rejects with a TypeError, like `fetch`, if no
   * answer comes. Redirects are not followed.
   */
  fetch(node: NodeName, input: string | URL | Request, init?: FetchInit): Promise<Response>
  /** Asks an agent's DNS interface over UDP. Rejects if no answer comes. */
  resolve(node: NodeName, name: string, type?: string, within?: Span): Promise<DnsAnswer>
  /** Lets this much virtual time pass. */
  advance(span: Span): Promise<void>
  /**
   * Lets time pass until the condition is true. Rejects if it does not become true within this time, 60 s if absent,
   * and with an exception of the condition. The condition is checked after each event, so it must not be an async
   * function.
   */
  until(isSo: () => boolean, within?: Span): Promise<void>
  /** The agents of each group reach one another, and none of another group. An agent in no group keeps its links. */
  partition(...groups: readonly (readonly NodeName[])[]): void
  /** Heals all links. */
  heal(): void
  /** Power cut: the process ends, and unsynced data may be lost. The machine then refuses connections. */
  crash(node: NodeName): void
  /** Kills only the process, like `kill -9`. */
  kill(node: NodeName): void
  /** Starts stopped agents; a running one is crashed first. */
  restart(node: NodeName): void
  pause(node: NodeName): void
  resume(node: NodeName): void
  clock(node: NodeName, fault: ClockFault): void
  disk(node: NodeName, fault: DiskFault): void
  /** Performs one action of the scenario language: `{ crash: 'leader', for: '5s' }`. */
  fault(action: Readonly<Record<string, unknown>>): void
  /** Ends every fault, and starts stopped agents. */
  mend(): void
  /**
   * Performs one step of the scenario language to its end: `{ reload: … }`, `{ eventually: { within: '30s', leader:
   * 'exactly one' } }`.
   */
  step(step: Readonly<Record<string, unknown>>): Promise<void>
  /** Restarts these agents with another release: `c.upgrade('s1', '1.4.0')`, `c.upgrade('followers', '1.4.0')`. */
  upgrade(nodes: string, to: string): Promise<void>
  /** Adds a line to the story. */
  note(text: string): void
  /** What happened so far, one line each. */
  story(): readonly string[]
  /** Hash of everything that happened: equal for the same seed and the same calls. */
  hash(): string
  /**
   * Judges what can be judged only at the end, and rejects if an invariant is broken. `rest`: first every fault ends,
   * and the cluster must come to rest. Pending and later calls reject.
   */
  close(options?: { readonly rest?: boolean }): Promise<void>
}

const fetchWithin = '60s'

/** One world of this process advances at a time, because the guards of a turn apply to the whole process. */
let last: Promise<unknown> = Promise.resolve()
function turnstile<T>(act: () => Promise<T>): Promise<T> {
  const mine = last.then(act)
  last = mine.catch(() => undefined)
  return mine
}

/** A simulated cluster whose agents have all joined, and one of whose servers leads. */
export async function createCluster(options: ClusterOptions = {}): Promise<SimCluster> {
  const loaded = libraryPage(options)
  if (!loaded.ok) throw new Error(loaded.error)
  const { seed = 1 } = options
  const cluster = new LibraryCluster({ loaded: loaded.value, seed }, createPlatform, turnstile)
  try {
    await cluster.start()
  } catch (error) {
    await cluster.close(false)
    throw error
  }
  return simCluster(cluster, seed)
}

function simCluster(cluster: LibraryCluster, seed: number): SimCluster {
  return {
    seed,
    managementToken,
    nodes: cluster.nodes,
    get leader() {
      return cluster.leader
    },
    get nowMs() {
      return cluster.nowMs
    },
    fetch: async (node, input, init) => fetchOf(cluster, nameGiven('c.fetch', node), input, init),
    resolve: async (node, name, type = 'A', within = '10s') => {
      const answer = await cluster.resolve(nameGiven('c.resolve', node), name, type, within)
      if (typeof answer === 'string') throw new Error(`DNS of ${node}: ${answer}`)
      return { rcode: answer.rcode, answers: answer.answers, additionals: answer.additionals }
    },
    advance: (span) => cluster.advance(span),
    until: async (isSo, within = '60s') => {
      if (await cluster.waitFor(isSo, within)) return
      throw new Error(`c.until: the condition did not become true within ${spanText(within)} of virtual time`)
    },
    ...faultsOf(cluster),
    step: (step) => cluster.step(step),
    upgrade: (nodes, to) => cluster.step({ step: `upgrade ${nodes} to ${to}`, upgrade: { nodes, to } }),
    note: (text) => cluster.note(text),
    story: () => cluster.story(),
    hash: () => cluster.hash(),
    close: ({ rest = false } = {}) => cluster.close(rest),
  }
}

function spanText(span: Span): string {
  return typeof span === 'number' ? `${span} ms` : span
}

type Faults = Pick<
  SimCluster,
  'partition' | 'heal' | 'crash' | 'kill' | 'restart' | 'pause' | 'resume' | 'clock' | 'disk' | 'fault' | 'mend'
>

function faultsOf(cluster: LibraryCluster): Faults {
  return {
    partition: (...groups) => cluster.fault(actions.partition(groups)),
    heal: () => cluster.fault(actions.heal()),
    crash: (node) => cluster.fault(actions.process('crash', node)),
    kill: (node) => cluster.fault(actions.process('kill', node)),
    restart: (node) => cluster.fault(actions.process('restart', node)),
    pause: (node) => cluster.fault(actions.process('pause', node)),
    resume: (node) => cluster.fault(actions.process('resume', node)),
    clock: (node, fault) => cluster.fault(actions.clock(node, fault)),
    disk: (node, fault) => cluster.fault(actions.disk(node, fault)),
    fault: (action) => cluster.fault(action),
    mend: () => cluster.mend(),
  }
}

async function fetchOf(
  cluster: LibraryCluster,
  node: string,
  input: string | URL | Request,
  { within = fetchWithin, ...init }: FetchInit = {},
): Promise<Response> {
  const request =
    input instanceof Request ? new Request(input, init) : new Request(new URL(input, `http://${node}:8500`), init)
  const { signal } = request
  signal.throwIfAborted()
  const { pathname, search } = new URL(request.url)
  const body = request.body === null ? undefined : new Uint8Array(await request.arrayBuffer())
  const answer = await cluster.ask(
    node,
    {
      method: request.method,
      target: `${pathname}${search}`,
      headers: [...request.headers],
      ...(body === undefined ? {} : { bodyBytes: body }),
    },
    () => signal.aborted,
    within,
  )
  signal.throwIfAborted()
  if (typeof answer === 'string') throw new TypeError('fetch failed', { cause: new Error(noAnswerText(node, answer)) })
  return responseOf(request, answer)
}

/** Statuses whose responses have no body. */
const bodiless: readonly number[] = [101, 204, 205, 304]

function responseOf({ method }: Request, { status, headers, bytes }: Answered): Response {
  const hasBody = method !== 'HEAD' && !bodiless.includes(status)
  const list = [...headers].map(([name, value]): [string, string] => [name, value])
  return new Response(hasBody ? new Uint8Array(bytes) : null, { status, headers: list })
}

/** `describe` and `it` of Vitest, of node:test, or of another runner. */
export interface TestRunner {
  readonly describe: (name: string, define: () => void) => unknown
  readonly it: (name: string, test: () => Promise<void>) => unknown
}

export interface DescribeOptions extends ClusterOptions {
  /** Number of seeds, from `seed` on; 1 if absent. `SVC_SIM_SEED=7` runs only seed 7, `SVC_SIM_SEEDS=1..200` these. */
  readonly seeds?: number
  /** The cluster must come to rest after each test. */
  readonly rest?: boolean
}

/**
 * Tests that each have a cluster of their own, once for each seed. A failure names its seed, the command to repeat it,
 * and the end of the story.
 */
export function describeCluster(
  { describe, it }: TestRunner,
  name: string,
  { seeds = 1, rest = false, ...options }: DescribeOptions,
  tests: Readonly<Record<string, (cluster: SimCluster) => Promise<void>>>,
): void {
  const { SVC_SIM_SEED: one, SVC_SIM_SEEDS: range } = process.env
  const all = seedsToRun({ seed: options.seed ?? 1, seeds, one, range })
  describe(name, () => {
    for (const [title, test] of Object.entries(tests)) {
      for (const seed of all) {
        it(`${title} (seed ${seed})`, () => runTest(() => createCluster({ ...options, seed }), rest, test))
      }
    }
  })
}
