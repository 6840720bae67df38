import { invariant } from '../../src/base/invariant.ts'
import { Meanings } from '../meaning/meanings.ts'
import { DecisionsWithout } from '../report/decision-list.ts'
import type { TraceOptions } from '../report/trace.ts'
import { withoutDemands } from '../scenario/demands.ts'
import { loadScenario } from '../scenario/language/load.ts'
import type { Platform } from '../world/platform.ts'
import { type PageRequest, type Reply, type Request, requestSchema, type SeedRequest } from './messages.ts'
import { type Page, pageOf, type RunWishes, SeedRuns, type Turn } from './seed-runs.ts'
import { SiteWatch } from './site-watch.ts'
import type { CodeWatch, MutationSwitch, WorkerPort } from './worker.ts'

export interface ServeOptions {
  readonly port: WorkerPort
  readonly createPlatform: () => Platform
  readonly wallMs: () => number
  readonly cpuMs: () => number
  /** The switch of an instrumented program. */
  readonly mutation?: MutationSwitch | undefined
  readonly code?: CodeWatch | undefined
}

/** A worker: runs the requested seeds, one after another, until the requesting process ends it. */
export async function serveSeeds(options: ServeOptions): Promise<void> {
  const { port, createPlatform, wallMs, cpuMs, mutation, code } = options
  const say = (reply: Reply): void => port.say(JSON.stringify(reply))
  const pages = new Map<number, Page>()
  const numbers = new WeakMap<Page, number>()
  const pageAt = (number: number): Page => {
    const page = pages.get(number)
    invariant(page !== undefined, 'a page is sent before it is named', { number })
    return page
  }
  const turnOf = ({ page, seed, forks }: Pick<SeedRequest, 'page' | 'seed' | 'forks'>): Turn => {
    return { page: pageAt(page), seed, ...(forks === undefined ? {} : { forks }) }
  }
  let runs: SeedRuns | undefined
  let cpuMaxMs: number | undefined
  const runsWith = ({ searchStepsMax }: SeedRequest): SeedRuns => {
    runs ??= new SeedRuns({
      createPlatform,
      wallMs,
      cpuMs,
      searchStepsMax,
      onRun: ({ page, seed }, virtualUs) => {
        say({ kind: 'begun', page: numbers.get(page) ?? 0, seed })
        return port.watch(virtualUs, cpuMaxMs)
      },
    })
    return runs
  }
  say({ kind: 'ready' })
  for await (const line of port.requests()) {
    const request: Request = requestSchema.parse(JSON.parse(line))
    if (request.kind === 'page') {
      const page = loadedPage(request, createPlatform)
      pages.set(request.page, page)
      numbers.set(page, request.page)
      continue
    }
    const { verify, following, mutant = 0 } = request
    cpuMaxMs = request.cpuMaxMs
    mutation?.turn(request.turns === undefined ? mutant : 0)
    const turn = turnOf(request)
    const all = runsWith(request)
    if (request.code === true) code?.begin()
    const watch = mutation && siteWatchOf(mutation, request)
    const made = await all.first(turn, { ...wishesOf(request, say), ...(watch && { beforeTurn: watch.beforeTurn }) })
    const watched = watch !== undefined && request.sites !== undefined ? watch.seen() : {}
    const ran = request.code === true && code !== undefined ? { code: code.ran() } : {}
    const record = await all.record(turn, made, verify, following === undefined ? undefined : turnOf(following))
    const covered =
      mutation === undefined || mutant > 0
        ? {}
        : { reached: mutation.reached(), loaded: mutation.loaded, returned: mutation.returned() }
    const { runsBefore, account } = made
    say({
      kind: 'ended',
      record,
      runsBefore,
      ...(account === undefined ? {} : { account }),
      ...covered,
      ...ran,
      ...watched,
    })
  }
}

/** Undefined: nothing depends on turns. */
function siteWatchOf(mutation: MutationSwitch, { mutant = 0, turns, sites }: SeedRequest): SiteWatch | undefined {
  if (sites === undefined && (turns === undefined || mutant === 0)) return undefined
  return new SiteWatch(mutation, { mutant, turns, events: sites?.events, since: sites?.since })
}

/** What the run must report besides its verdict. */
function wishesOf({ account, without, events, states, sites }: SeedRequest, say: (reply: Reply) => void): RunWishes {
  return {
    ...(account === undefined ? {} : { account }),
    ...(without === undefined ? {} : { book: new DecisionsWithout(without) }),
    ...(events === undefined ? {} : { trace: (platform) => eventsOptions(platform, say, states) }),
    // Events have numbers only if there is a reader.
    ...(sites === undefined || events !== undefined ? {} : { trace: (platform) => eventsOptions(platform, () => {}) }),
  }
}

function eventsOptions(platform: Platform, say: (reply: Reply) => void, states?: true): TraceOptions {
  const meanings = new Meanings(platform)
  let isFirst = true
  return {
    onRecord: (event, nodes) => {
      say({ kind: 'event', event, ...(isFirst ? { nodes: [...nodes] } : {}) })
      isFirst = false
    },
    ...(states === undefined ? {} : { tellsStates: true }),
    meaning: (bytes) => meanings.of(bytes),
    onSealed: (key) => meanings.keys.sealedWith(key),
  }
}

function loadedPage({ file, text, demands }: PageRequest, createPlatform: () => Platform): Page {
  const loaded = loadScenario(file, text)
  invariant(loaded.ok, 'a page that the command could read can be read by its workers', { file })
  const platform = createPlatform()
  const page = pageOf(loaded.value, platform)
  platform.close()
  return demands === 'off' ? { ...page, loaded: withoutDemands(page.loaded) } : page
}
