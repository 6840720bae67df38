import { fromBase64, textOf } from '../../../src/base/bytes.ts'
import { formatDuration } from '../../../src/base/duration.ts'
import { releaseText } from '../../../src/model/release.ts'
import { givenBack } from '../../checkers/given-back.ts'
import { acknowledgedWrites } from '../../checkers/keys/acknowledged-writes.ts'
import { atRest, liveness, type Unrest } from '../../checkers/liveness.ts'
import { leaderCompleteness } from '../../checkers/raft/leader-completeness.ts'
import { stateMachineSafety } from '../../checkers/raft/state-machine-safety.ts'
import { startMissed } from '../../cluster/group-facts.ts'
import { httpEndpoint } from '../../cluster/node-identity.ts'
import type { Answer } from '../answers.ts'
import type { RunContext } from '../run-context.ts'
import { copiesAgree } from './rest-access.ts'
import { comeToAgree } from './rest-catalog.ts'
import { healCore } from './rest-core.ts'
import { restMesh } from './rest-mesh.ts'
import { compareQueries } from './rest-queries.ts'
import { compareViews } from './rest-views.ts'
import { meetAgain } from './rest-wan.ts'
import { compareWatches } from './rest-watches.ts'

const restWithinMs = 60_000
const lookEveryMs = 50
const answerWithinMs = 10_000
const askAgainMs = 500

/** Written when the cluster has come to rest: it must not only be quiet, but serve. */
const lastKey = 'svc-sim/at-rest'

/**
 * The end of every run. All faults are undone and all nodes started, and within a time limit the cluster comes to rest
 * and accepts a write (L1). All agents agree on the members, and the catalog on their registrations (M1, M2, E1, E3),
 * through every interface (E2), and queries find what health has (Q1). Clients that follow keys have the result of a
 * fresh read (W3), and learn of a write (W2). Then each server must hold the log's value of every key (D1), and all
 * must have the same state (R5).
 */
export async function comeToRest(run: RunContext): Promise<void> {
  const withinMs = run.scenario.quiet?.within ?? restWithinMs
  if (run.scenario.quiet?.['core first'] === true) {
    for (const part of run.parts()) if (!run.hasFailed()) await healCore(part, withinMs)
  }
  run.tell('step', 'quiet: faults stop, everything is repaired, the cluster comes to rest')
  const { decisions } = run.simulation
  const untroubled = run.cluster.nodeNames.filter((name) => isUntroubled(run, name))
  decisions.because(decisions.identity('everything is mended'), () => run.injector.mendEverything())
  for (const part of run.parts()) if (!(await partToRest(part, withinMs))) return
  if (run.cluster.datacenterNames.length > 1) await meetAgain(run)
  await copiesAgree(run)
  for (const part of run.parts()) await compareQueries(part)
  for (const part of run.parts()) await restMesh(part)
  for (const part of run.parts()) lookAtHeld(part, untroubled)
}

/** Nothing that its process does waits for a fault to end. */
function isUntroubled({ cluster, injector }: RunContext, name: string): boolean {
  const { running, paused, disk } = cluster.nodeOf(name)
  return running && !paused && !injector.isTroubled(name) && !disk.tree.isFull
}

function lookAtHeld({ cluster, invariants, simulation }: RunContext, untroubled: readonly string[]): void {
  for (const name of cluster.nodeNames.filter((each) => untroubled.includes(each))) {
    const node = cluster.nodeOf(name)
    if (!node.running) continue
    invariants.of(givenBack).atRest(name, node.held(), simulation.nowUs)
    cluster.lookAtDisk(name)
  }
}

/** One datacenter; false if it will never rest. */
async function partToRest(run: RunContext, withinMs: number): Promise<boolean> {
  const untilUs = run.simulation.nowUs + withinMs * 1000
  if (!(await awaitRest(run, untilUs, withinMs))) return false
  await writeOnce(run, untilUs)
  await comeToAgree(run)
  // The comparison has written to the catalog: wait again.
  if (!(await awaitRest(run, run.simulation.nowUs + withinMs * 1000, withinMs))) return false
  await compareViews(run)
  await compareWatches(run)
  // Watching clients have learned of a write that some server may not have yet.
  if (!(await awaitRest(run, run.simulation.nowUs + withinMs * 1000, withinMs))) return false
  compareSnapshots(run)
  const { committedIndex } = run.invariants.of(leaderCompleteness)
  for (const server of presentServers(run)) {
    if (run.hasFailed()) return false
    const state = run.cluster.stateDigest(server)
    if (state !== undefined) run.invariants.of(stateMachineSafety).state(server, state.index, state.digest)
    await compareState(run, server, committedIndex)
  }
  return !run.hasFailed()
}

/** Releases differ in their tables, and so in the bytes of a snapshot: servers of one are compared. */
function compareSnapshots(run: RunContext): void {
  const { cluster, invariants } = run
  if (run.hasFailed()) return
  const byRelease = new Map<string, string[]>()
  for (const server of presentServers(run)) {
    const release = releaseText(cluster.releaseOf(server))
    byRelease.set(release, [...(byRelease.get(release) ?? []), server])
  }
  const committed = invariants.of(leaderCompleteness).committedIndex
  invariants.of(stateMachineSafety).atRest([...byRelease.values()], committed)
}

/** False if the cluster will never rest: the invariant is broken, or a named reason excuses it. */
async function awaitRest(run: RunContext, untilUs: number, withinMs: number): Promise<boolean> {
  const { decisions } = run.simulation
  const missed = decisions.identity('missed')
  const start = (): void => decisions.because(missed, () => startMissed(run.cluster))
  start()
  for (let unrest = unrestOf(run); !run.hasFailed() && !atRest(unrest); unrest = unrestOf(run)) {
    if (run.simulation.nowUs >= untilUs) {
      if (run.injector.isMajorityLost(datacenterOf(run))) return tellLost(run)
      run.invariants.of(liveness).overdue(unrest, formatDuration(withinMs))
      return false
    }
    await run.pass(lookEveryMs)
    start()
  }
  if (run.hasFailed()) return false
  run.invariants.of(liveness).rests()
  return true
}

/**
 * A lost machine could not be spared after the program itself had removed another one. No server can tell: an operator
 * must recover the configuration by hand.
 */
function tellLost(run: RunContext): false {
  run.invariants.of(liveness).excused('majority lost')
  run.tell('note', 'excused (majority lost): for some configuration no majority with intact data is left')
  return false
}

/** The datacenter of a part of a run. */
function datacenterOf({ cluster }: RunContext): string {
  return cluster.datacenterNames[0] ?? ''
}

/** Servers that left are not expected. */
function presentServers({ cluster }: RunContext): readonly string[] {
  return cluster.serverNames.filter((server) => !cluster.hasLeft(server))
}

/** Code that waits for space on a disk retries once a second: repeat until the time limit. */
async function writeOnce(run: RunContext, untilUs: number): Promise<void> {
  if (run.hasFailed()) return
  const servers = presentServers(run)
  if (servers.length === 0) return
  const server = run.simulation.decisions.drawsNext('last write').oneOf(servers, (name) => name) as string
  const write = { method: 'PUT', target: `/v1/kv/${lastKey}`, bodyText: 'done', timeoutMs: answerWithinMs }
  const ask = () => run.driver.ask(run, httpEndpoint(run.cluster.identityOf(server)), write)
  let answer = await ask()
  while (!isDone(answer) && !run.hasFailed() && run.simulation.nowUs < untilUs) {
    await run.pass(askAgainMs)
    answer = await ask()
  }
  if (run.hasFailed() || isDone(answer)) return
  const why = typeof answer === 'string' ? answer : `status ${answer.status}`
  run.invariants.of(liveness).refuses(`${server} does not take a write once the cluster is at rest: ${why}`)
}

function isDone(answer: Answer | string): boolean {
  return typeof answer !== 'string' && answer.status === 200
}

function unrestOf(run: RunContext): Unrest {
  const { cluster } = run
  const servers = presentServers(run)
  const down = cluster.nodeNames.filter((node) => !cluster.isRunning(node) && !cluster.hasLeft(node))
  return {
    openRequests: run.workload.openRequests(),
    down: down.map((server) => [server, cluster.whyDown(server)].filter((text) => text !== undefined).join(' ')),
    leaving: cluster.nodeNames.filter((node) => cluster.isLeaving(node)),
    leaders: cluster.leaders(),
    applied: new Map(servers.map((server) => [server, cluster.appliedIndex(server)])),
    committed: run.invariants.of(leaderCompleteness).committedIndex,
  }
}

/** `committedIndex`: every server had applied this entry before. */
async function compareState(run: RunContext, server: string, committedIndex: number): Promise<void> {
  const held = new Map<string, string>()
  const answer = await run.driver.ask(run, httpEndpoint(run.cluster.identityOf(server)), {
    method: 'GET',
    target: '/v1/kv/?recurse&stale',
    timeoutMs: answerWithinMs,
  })
  if (run.hasFailed()) return
  if (typeof answer === 'string' || (answer.status !== 200 && answer.status !== 404)) {
    const why = typeof answer === 'string' ? answer : `status ${answer.status}`
    run.invariants.of(liveness).refuses(`${server} does not return its keys once the cluster is at rest: ${why}`)
    return
  }
  const rows = answer.status === 404 ? [] : (JSON.parse(answer.body) as readonly ListedKey[])
  for (const { Key, Value } of rows) held.set(Key, textOf(fromBase64(Value ?? '') ?? new Uint8Array()))
  run.invariants.of(acknowledgedWrites).finalState(server, held, committedIndex)
}

interface ListedKey {
  readonly Key: string
  readonly Value: string | null
}
