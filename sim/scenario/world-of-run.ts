import type { DiskFacts, NetworkFacts } from '../checkers/pool/pool-weather.ts'
import { ApiServer } from '../cluster/api-server.ts'
import { Cluster } from '../cluster/cluster.ts'
import { findCorrelationNumbers } from '../cluster/correlation-numbers.ts'
import { clientHost } from '../cluster/node-identity.ts'
import { drawRange } from '../faults/action-scope.ts'
import type { Range } from '../notation/quantities.ts'
import type { TraceOptions } from '../report/trace.ts'
import { ManagerMachine } from '../secrets-manager/manager-machine.ts'
import { Simulation, type SimulationOptions } from '../simulation/simulation.ts'
import type { Book } from '../world/decisions/book.ts'
import type { Fork } from '../world/decisions/decisions.ts'
import type { DiskOptions } from '../world/disk/disk.ts'
import type { Platform } from '../world/platform.ts'
import type { RangeMs } from '../world/time-range.ts'
import { drawnCluster, drawnTuning } from './drawn.ts'
import type { LoadedScenario } from './language/load.ts'
import type { Scenario } from './language/scenario-schema.ts'
import type { RunContext } from './run-context.ts'

export interface WorldOptions {
  readonly loaded: LoadedScenario
  readonly seed: number
  /** Times at which the run continues with other random values, in ascending order; absent: none. */
  readonly forks?: readonly Fork[] | undefined
  /** One for each run; closed at its end. */
  readonly platform: Platform
  readonly trace?: TraceOptions | undefined
  /** Sees every decision, and may make it otherwise. */
  readonly book?: Book | undefined
  readonly beforeTurn?: SimulationOptions['beforeTurn']
}

const defaultLatency: Range = { min: 1, max: 5 }

/** What members of a pool can expect of links. */
export function networkFacts({ network }: Scenario): NetworkFacts {
  const { min, max } = network?.latency ?? defaultLatency
  return { rttMs: min + max, rttMaxMs: 2 * max, loss: network?.loss ?? 0 }
}

const defaultSync: Range = { min: 1, max: 5 }

/** What members of a pool can expect of disks. */
export function diskFacts({ disk }: Scenario): DiskFacts {
  return { syncMaxMs: (disk?.fsync ?? defaultSync).max }
}

/** The world of one run, as its scenario describes it without faults. */
export function newSimulation(
  { loaded, seed, forks, platform, trace, book, beforeTurn }: WorldOptions,
  { afterTurn, onSaid, onTold }: Required<Pick<SimulationOptions, 'afterTurn' | 'onSaid' | 'onTold'>>,
): Simulation {
  const { network, mesh } = loaded.scenario
  return new Simulation({
    seed: String(seed),
    forks,
    book,
    findHoles: findCorrelationNumbers,
    platform,
    ...(trace === undefined ? {} : { trace }),
    link: {
      latencyMs: rangeMs(network?.latency ?? defaultLatency),
      loss: network?.loss ?? 0,
      duplicate: network?.duplicate ?? 0,
      reorder: network?.reorder ?? 0,
      ...(network?.replay === undefined
        ? {}
        : { replay: network.replay.chance, replayMs: rangeMs(network.replay.after) }),
    },
    disk: diskOptions(diskOf(loaded.scenario)),
    keys: mesh?.keys,
    shuffleTies: true,
    beforeTurn,
    afterTurn,
    onSaid,
    onTold,
  })
}

export function diskOf({ disk }: Scenario): { readonly operationMs: RangeMs; readonly syncMs: RangeMs } {
  return {
    operationMs: rangeMs(disk?.latency ?? { min: 0.05, max: 0.2 }),
    syncMs: rangeMs(disk?.fsync ?? defaultSync),
  }
}

function diskOptions({ operationMs, syncMs }: ReturnType<typeof diskOf>): DiskOptions {
  return { readMs: operationMs, writeMs: operationMs, nameMs: operationMs, syncMs }
}

function rangeMs(range: Range): readonly [number, number] {
  return [range.min, range.max]
}

/** The cluster of a run, as its scenario has it and its seed draws it. */
export function newCluster(
  scenario: Scenario,
  simulation: Simulation,
  wired: Pick<ConstructorParameters<typeof Cluster>[0], 'invariantsOf' | 'onTrigger'>,
): Cluster {
  const { offset = { min: 0, max: 0 }, rate = { min: 0, max: 0 } } = scenario.clocks ?? {}
  const { decisions } = simulation
  return new Cluster({
    simulation,
    plan: drawnCluster(scenario, decisions),
    tuning: drawnTuning(scenario, decisions),
    ...wired,
    clockOf: (name) => ({
      wallOffsetMs: drawRange(decisions.draws('clock offset', name), offset),
      rate: 1 + drawRange(decisions.draws('clock rate', name), rate),
    }),
  })
}

/** The machines beside the cluster: a secrets manager, and web servers for checks over HTTP. */
export function addMachinesBeside(run: Pick<RunContext, 'scenario' | 'cluster' | 'simulation' | 'select'>): void {
  const { scenario, cluster, simulation } = run
  const external = scenario['secrets manager']
  if (external !== undefined) {
    const { token, mounted, 'token terms': offered } = external
    const draws = simulation.decisions.draws('secrets manager', 'token')
    const terms = offered.length === 1 ? offered[0] : offered[draws.below(offered.length)]
    cluster.secretsManager = new ManagerMachine({ host: clientHost(200), token, terms: terms ?? 'an hour', mounted })
  }
  const api = scenario['api server']
  if (api !== undefined) cluster.apiServer = newApiServer(run, api)
  for (const { at, port } of Object.values(scenario['web servers'] ?? {})) {
    for (const node of run.select(at)) cluster.webServers.add(node, port)
  }
  cluster.secretsManager?.join(simulation)
}

/** Lists agents as pods, over HTTP and by a program on each of their machines. */
function newApiServer(
  run: Pick<RunContext, 'cluster' | 'simulation' | 'select'>,
  { of, wrong, until: untilMs }: NonNullable<Scenario['api server']>,
): ApiServer {
  const { cluster, simulation } = run
  const hostOf = (node: string): string => cluster.identityOf(node).host
  const pods = () => {
    const all = run.select(of)
    return { all: all.map(hostOf), running: all.filter((node) => cluster.isRunning(node)).map(hostOf) }
  }
  const server = new ApiServer({ simulation, host: clientHost(201), wrong, untilMs, pods })
  for (const node of cluster.nodeNames) cluster.nodeOf(node).programs.set('pods', server.program(hostOf(node)))
  return server
}
