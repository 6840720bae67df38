import { formatDuration } from '../../../src/base/duration.ts'
import { type CoreExcuse, coreExcuses, coreMarks, drawCore, excuseOf } from '../../checkers/core-excuses.ts'
import { atRest, liveness, type Unrest } from '../../checkers/liveness.ts'
import { configurationChanges } from '../../checkers/raft/configuration-changes.ts'
import { leaderCompleteness } from '../../checkers/raft/leader-completeness.ts'
import { httpEndpoint } from '../../cluster/node-identity.ts'
import type { RunContext } from '../run-context.ts'

const lookEveryMs = 50
const answerWithinMs = 10_000
/** A healed core may still be electing, repeatedly while it catches up: the client retries. */
const askAgainMs = 500

/**
 * Faults stop where they are, a core that just suffices is mended, and everything else stays broken for good. Within
 * the time limit the core must lead, agree, accept a write, and leave no request open (L1); each excuse is named.
 */
export async function healCore(run: RunContext, withinMs: number): Promise<void> {
  const core = chosenCore(run)
  if (core === undefined) return tellExcuse(run, 'no core')
  run.tell('step', `quiet: faults stop, and ${core.join(' ')} are repaired; other faults stay`)
  const leader = run.cluster.leader()
  if (leader !== undefined && !core.includes(leader)) run.invariants.of(coreMarks)('core without the leader')
  const { decisions } = run.simulation
  decisions.because(decisions.identity('the core is repaired'), () => run.injector.mendCore(core))
  const untilUs = run.simulation.nowUs + withinMs * 1000
  while (!run.hasFailed()) {
    if (core.some((server) => run.cluster.hasLeft(server))) return tellExcuse(run, 'left meanwhile')
    const unrest = unrestOf(run, core)
    const served = atRest(unrest) ? await takesWrite(run, core) : undefined
    if (served === true) run.invariants.of(liveness).rests()
    if (served === true || run.hasFailed()) return
    if (run.simulation.nowUs >= untilUs) return overdue(run, core, unrest, formatDuration(withinMs), served)
    await run.pass(served === false ? askAgainMs : lookEveryMs)
  }
}

function overdue(
  run: RunContext,
  core: readonly string[],
  unrest: Unrest,
  boundText: string,
  served: boolean | undefined,
): void {
  const { cluster } = run
  const excuse = excuseOf({
    core,
    coreIds: core.map((server) => cluster.identityOf(server).id),
    standing: run.invariants.of(configurationChanges).standing(),
    leader: leadingNow(run),
    left: cluster.serverNames.filter((server) => cluster.hasLeft(server)),
    reaches: (from, to) => run.injector.reaches(from, to),
    diskFails: (server) => run.injector.diskFails(server),
  })
  if (excuse !== undefined) return tellExcuse(run, excuse)
  const text = `${boundText} (core ${core.join(' ')})`
  if (served === false) run.invariants.of(liveness).refuses(`${text}: the core is at rest, and takes no write`)
  else run.invariants.of(liveness).overdue(unrest, text)
}

function tellExcuse(run: RunContext, excuse: CoreExcuse): void {
  run.invariants.of(liveness).excused(excuse)
  run.tell('note', `the core is excused (${excuse}): ${coreExcuses[excuse]}`)
}

function chosenCore({ cluster, invariants, simulation }: RunContext): readonly string[] | undefined {
  const sound = cluster.serverNames.filter((server) => !cluster.hasLeft(server) && !cluster.isDamaged(server))
  const candidates = sound.map((name) => ({ name, id: cluster.identityOf(name).id }))
  const draws = simulation.decisions.draws('core')
  return drawCore(candidates, invariants.of(configurationChanges).standing(), draws)
}

/** The leader, unless its process is paused. */
function leadingNow({ cluster }: RunContext): string | undefined {
  const leader = cluster.leader()
  return leader === undefined || cluster.nodeOf(leader).paused ? undefined : leader
}

function unrestOf(run: RunContext, core: readonly string[]): Unrest {
  const { cluster, invariants } = run
  const leader = leadingNow(run)
  const leaders = cluster.leaders().filter((server) => core.includes(server))
  return {
    openRequests: run.workload.openRequests(),
    down: core.filter((server) => !cluster.isRunning(server)),
    leaving: core.filter((server) => cluster.isLeaving(server)),
    leaders: leader === undefined || leaders.includes(leader) ? leaders : [leader, ...leaders],
    applied: new Map(core.map((server) => [server, cluster.appliedIndex(server)])),
    committed: invariants.of(leaderCompleteness).committedIndex,
  }
}

async function takesWrite(run: RunContext, core: readonly string[]): Promise<boolean> {
  const server = run.simulation.decisions.drawsNext('core write').oneOf(core, (name) => name) as string
  const answer = await run.driver.ask(run, httpEndpoint(run.cluster.identityOf(server)), {
    method: 'PUT',
    target: '/v1/kv/svc-sim/core-at-rest',
    bodyText: 'done',
    timeoutMs: answerWithinMs,
  })
  return typeof answer !== 'string' && answer.status === 200
}
