import { changes, isAtLeast, newestRelease, releaseText } from '../../../src/model/release.ts'
import { consensusOf } from '../../inspection/node-state.ts'
import { shownAct } from '../../play/acts-done.ts'
import type { PlayAgent, PlayStatus } from '../../play/play-api.ts'
import type { Session } from '../../play/session.ts'
import type { ScenarioRun } from '../../scenario/run.ts'

export interface PlayPorts {
  readonly http: number
  readonly dns: number
}

export interface StatusParts {
  readonly session: Session
  readonly seed: number
  readonly lesson: string | undefined
  readonly hasLessons: boolean
  readonly build: string
  readonly pace: () => { readonly paused: boolean; readonly rate: number; readonly advancingToUs: number | undefined }
  readonly requests: () => PlayStatus['requests']
  /** The ports of the agent at this position in the list of agents; undefined: it has none. */
  readonly portsOf: (place: number) => PlayPorts | undefined
}

/** The present state of the session. */
export function playStatus({
  session,
  seed,
  lesson,
  hasLessons,
  build,
  pace,
  requests,
  portsOf,
}: StatusParts): PlayStatus {
  const { world } = session
  const { paused, rate, advancingToUs } = pace()
  const { nodes } = session
  return {
    scenario: world.run.scenario.scenario,
    seed,
    build,
    nowUs: world.nowUs,
    events: session.events,
    version: session.version,
    world: session.number,
    paused,
    rate,
    advancingToUs: advancingToUs ?? null,
    busy: session.busy ?? null,
    agents: nodes.map((node, at) => agentNow(world.run, node, portsOf(at))),
    cuts: cutsNow(world.run, nodes),
    acts: session.acts.map(shownAct),
    failure: session.failure() ?? null,
    requests: requests(),
    lesson: lesson ?? null,
    hasLessons,
    releases: knownReleases,
  }
}

function agentNow(run: ScenarioRun, name: string, ports: PlayPorts | undefined): PlayAgent {
  const { cluster, injector, simulation } = run
  const { kind, datacenter } = cluster.identityOf(name)
  const { paused, clock } = cluster.nodeOf(name)
  const consensus = consensusOf(run, name)
  return {
    name,
    kind,
    datacenter,
    is: !cluster.isRunning(name) ? 'down' : paused ? 'paused' : 'up',
    role: consensus?.role ?? null,
    term: consensus?.term ?? null,
    release: releaseText(cluster.releaseOf(name)),
    httpPort: ports?.http ?? null,
    dnsPort: ports?.dns ?? null,
    hasUi: cluster.settingsOf(name)['ui'] === true,
    lastError: cluster.whyDown(name) ?? null,
    clockAheadMs: Math.round(clock.wallUs() / 1000 - simulation.startWallMs - simulation.nowMs),
    troubles: injector.troublesOf(name),
  }
}

function cutsNow({ simulation }: ScenarioRun, nodes: readonly string[]): PlayStatus['cuts'] {
  const { network } = simulation
  return nodes.flatMap((one, at) =>
    nodes
      .slice(at + 1)
      .filter((other) => network.isCut(one, other) || network.isCut(other, one))
      .map((other) => [one, other] as const),
  )
}

/** Releases that changed something, the newest first: any other behaves like the one before it. */
const knownReleases: readonly string[] = [
  ...new Set(
    [newestRelease, ...Object.values(changes).map(({ since }) => since)]
      .toSorted((a, b) => (isAtLeast(a, b) ? -1 : 1))
      .map(releaseText),
  ),
]
