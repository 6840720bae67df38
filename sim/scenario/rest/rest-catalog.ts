import { formatDuration } from '../../../src/base/duration.ts'
import {
  catalogFaults,
  catalogTruth,
  countCatalogOf,
  type HeldNode,
  type ListedNode,
  type SeenService,
} from '../../checkers/pool/catalog-truth.ts'
import { keptRegistrations } from '../../checkers/pool/kept-registrations.ts'
import { membership } from '../../checkers/pool/membership.ts'
import { countPool, type PoolFault, poolFaults, poolViews } from '../../checkers/pool/pool-views.ts'
import { acknowledgedRegistrations } from '../../checkers/registrations/acknowledged-registrations.ts'
import { itemsOf } from '../../checkers/registrations/registration-facts.ts'
import { startMissed } from '../../cluster/group-facts.ts'
import { httpEndpoint } from '../../cluster/node-identity.ts'
import type { RunContext } from '../run-context.ts'

/** A full comparison runs once a minute, and may have to be retried. */
const catalogWithinMs = 150_000
const lookEveryMs = 250
const answerWithinMs = 10_000

/**
 * Once the servers are at rest: within time limits all agents agree on the members (M1, M2), and the catalog has what
 * they registered (E1, E3).
 */
export async function comeToAgree(run: RunContext): Promise<void> {
  const pool = run.invariants.of(membership)
  const fromUs = run.simulation.nowUs
  await within(
    run,
    (faults) => Math.ceil(pool.boundMsFor(faults)),
    () => poolUnrest(run),
  )
  if (run.hasFailed()) return
  run.tell(
    'note',
    `all agents agree on the members, ${formatDuration(Math.ceil((run.simulation.nowUs - fromUs) / 1000))} after rest`,
  )
  pool.atRest()
  await within(
    run,
    () => catalogWithinMs,
    () => catalogUnrest(run),
  )
}

interface Fault {
  readonly code: PoolFault['code'] | 'E1' | 'E3'
  readonly message: string
  /** The events of the answers that show it. */
  readonly because?: readonly number[]
}

/** What was looked at, once no other look follows. */
interface Look<T extends Fault> {
  readonly faults: readonly T[]
  readonly count: () => void
}

/** Looks until nothing is wrong. `boundMsOf`: the time limit for what is wrong still. */
async function within<T extends Fault>(
  run: RunContext,
  boundMsOf: (faults: readonly T[]) => number,
  look: () => Promise<Look<T>>,
): Promise<void> {
  const fromUs = run.simulation.nowUs
  while (!run.hasFailed()) {
    startMissed(run.cluster)
    const { faults, count } = await look()
    if (run.hasFailed()) return
    const boundMs = boundMsOf(faults)
    const isOver = run.simulation.nowUs >= fromUs + boundMs * 1000
    if (faults.length === 0 || isOver) count()
    if (faults.length === 0) return
    if (isOver) {
      const bound = `${formatDuration(boundMs)} after the last fault`
      for (const { code, message, because } of faults) run.invariants.report(code, `${bound} ${message}`, because)
      return
    }
    await run.pass(lookEveryMs)
  }
}

function presentNodes({ cluster }: RunContext): readonly string[] {
  return cluster.nodeNames.filter((node) => !cluster.hasLeft(node))
}

function goneNodes({ cluster }: RunContext): readonly string[] {
  return cluster.nodeNames.filter((node) => cluster.hasLeft(node))
}

/** Names under which no agent runs any more, because it was renamed. */
function formerNames({ cluster }: RunContext): readonly string[] {
  return cluster.nodeNames.flatMap((node) => cluster.formerNamesOf(node))
}

async function poolUnrest(run: RunContext): Promise<Look<PoolFault>> {
  const { cluster } = run
  const present = presentNodes(run)
  const views = present.flatMap((observer) => {
    const members = cluster.agentOf(observer)?.lan.members()
    return members === undefined
      ? []
      : [{ observer, members: new Map(members.map(({ name, status }) => [name, status])) }]
  })
  const named = (nodes: readonly string[]): readonly string[] => nodes.map((node) => cluster.agentNameOf(node))
  const looked = [views, named(present), [...named(goneNodes(run)), ...formerNames(run)]] as const
  return { faults: poolFaults(...looked), count: () => countPool(run.invariants.of(poolViews), ...looked) }
}

async function catalogUnrest(run: RunContext): Promise<Look<Fault>> {
  const seen: SeenCatalog = { held: [], left: 0, unheard: 0 }
  const faults = await catalogFaultsNow(run, seen)
  return { faults, count: () => countCatalog(run, seen) }
}

/** What one look at the catalog compared. */
interface SeenCatalog {
  readonly held: HeldNode[]
  left: number
  unheard: number
}

function countCatalog({ cluster, invariants }: RunContext, { held, left, unheard }: SeenCatalog): void {
  for (const node of held) {
    countCatalogOf(invariants.of(catalogTruth), node)
    const local = cluster.agentOf(node.node)?.local
    if (local === undefined) continue
    invariants.of(acknowledgedRegistrations).atRest(node.node, itemsOf(local.services(), local.checks()))
  }
  invariants.of(keptRegistrations).leftInOrder(left, unheard)
}

async function catalogFaultsNow(run: RunContext, seen: SeenCatalog): Promise<readonly Fault[]> {
  const present = presentNodes(run)
  const asked = run.simulation.decisions.drawsNext('rest catalog').oneOf(present, (name) => name) as string
  for (const node of present) {
    const held = heldBy(run, node)
    const listed = await listedAs(run, asked, run.cluster.agentNameOf(node))
    if (typeof listed === 'string') return [{ code: 'E1', message: `${asked} does not return its catalog: ${listed}` }]
    if (held !== undefined) seen.held.push(held)
    const faults = held === undefined ? [] : catalogFaults(held, listed.node)
    if (faults.length > 0) return faults.map((message) => ({ code: 'E1', message, because: listed.shownIn }))
  }
  for (const node of goneNodes(run)) {
    if (!isHeard(run, node)) {
      seen.unheard++
      continue
    }
    seen.left++
    const listed = await listedAs(run, asked, run.cluster.agentNameOf(node))
    if (typeof listed === 'string') return [{ code: 'E1', message: `${asked} does not return its catalog: ${listed}` }]
    if (listed.node !== undefined) {
      return [{ code: 'E3', message: `the catalog still has ${node}, which left`, because: listed.shownIn }]
    }
  }
  return formerFaults(run, asked)
}

/** The catalog has an agent under its present name alone. */
async function formerFaults(run: RunContext, asked: string): Promise<readonly Fault[]> {
  for (const name of formerNames(run)) {
    const listed = await listedAs(run, asked, name)
    if (typeof listed === 'string') return [{ code: 'E1', message: `${asked} does not return its catalog: ${listed}` }]
    if (listed.node !== undefined)
      return [{ code: 'E1', message: `the catalog still has ${name}, a former name`, because: listed.shownIn }]
  }
  return []
}

/**
 * Whether the leader knows that the member left. Other members do not report that to an agent that does not know the
 * member. A leader that has lost its memory since considers the member failed, and keeps it in the catalog until the
 * pool would have forgotten it.
 */
function isHeard({ cluster }: RunContext, gone: string): boolean {
  const leader = cluster.leader()
  const members = leader === undefined ? undefined : cluster.agentOf(leader)?.lan.members()
  const called = cluster.agentNameOf(gone)
  return members?.some(({ name, status }) => name === called && status === 'left') === true
}

function heldBy({ cluster }: RunContext, node: string): HeldNode | undefined {
  const agent = cluster.agentOf(node)
  if (agent === undefined) return undefined
  const { kind } = cluster.identityOf(node)
  const checks = new Map(agent.local.checks().map(({ checkId, status }) => [checkId, status]))
  return { node, server: kind === 'server', services: agent.local.services(), checks }
}

/** What one agent answers about a node over HTTP, and the events of its answers; or why it does not answer. */
async function listedAs(
  run: RunContext,
  asked: string,
  node: string,
): Promise<{ readonly node: ListedNode; readonly shownIn: readonly number[] } | string> {
  const listed = await json<ListedCatalogNode | null>(run, asked, `/v1/catalog/node/${node}`)
  const checks = await json<readonly ListedCheck[]>(run, asked, `/v1/health/node/${node}`)
  if (typeof listed === 'string') return listed
  if (typeof checks === 'string') return checks
  const shownIn = [listed.event, checks.event]
  if (listed.body === null) return { node: undefined, shownIn }
  const services = Object.values(listed.body.Services).map(
    (service): SeenService => ({
      id: service.ID,
      service: service.Service,
      tags: service.Tags,
      port: service.Port,
      enableTagOverride: service.EnableTagOverride,
    }),
  )
  return { node: { services, checks: new Map(checks.body.map(({ CheckID, Status }) => [CheckID, Status])) }, shownIn }
}

async function json<T>(
  run: RunContext,
  asked: string,
  target: string,
): Promise<{ readonly body: T; readonly event: number } | string> {
  const to = httpEndpoint(run.cluster.identityOf(asked))
  const answer = await run.driver.ask(run, to, { method: 'GET', target, timeoutMs: answerWithinMs })
  if (typeof answer === 'string') return answer
  if (answer.status !== 200) return `status ${answer.status}`
  return { body: JSON.parse(answer.body) as T, event: run.invariants.eventNow() }
}

interface ListedCatalogNode {
  readonly Services: Readonly<
    Record<
      string,
      {
        readonly ID: string
        readonly Service: string
        readonly Tags: readonly string[]
        readonly Port: number
        readonly EnableTagOverride: boolean
      }
    >
  >
}

interface ListedCheck {
  readonly CheckID: string
  readonly Status: string
}
