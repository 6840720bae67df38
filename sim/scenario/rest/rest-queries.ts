import {
  type AskedQuery,
  type HeldInstance,
  type QueryWorld,
  queryFault,
  queryTruth,
  type ToldExecution,
} from '../../checkers/query-truth.ts'
import { calledName } from '../../cluster/group-facts.ts'
import { httpEndpoint } from '../../cluster/node-identity.ts'
import type { RunContext } from '../run-context.ts'

const answerWithinMs = 10_000
/** Maximum number of compared queries, drawn at random if there are more. */
const queriesMax = 8
/** Maximum number of comparisons while the data change. */
const looksMax = 20
const lookAgainMs = 500

/**
 * At rest, one agent of a datacenter, drawn at random, executes queries: the result must equal that of health (Q1).
 * Templates are left out, because they answer many names.
 */
export async function compareQueries(run: RunContext): Promise<void> {
  if (run.hasFailed()) return
  const present = run.cluster.nodeNames.filter((node) => !run.cluster.hasLeft(node))
  const draws = run.simulation.decisions.draws('rest queries')
  const node = draws.oneOf(present, (name) => name) as string
  const listed = (await read<readonly ListedQuery[]>(run, node, 'query')) ?? []
  const all = listed.filter(isPlain).map(askedQuery)
  run.invariants.of(queryTruth).excused('Q1', 'many names', listed.length - all.length)
  const queries = draws.inOrder(all, ({ name }) => name).slice(0, queriesMax)
  for (const query of queries) await compareQuery(run, node, query)
}

async function compareQuery(run: RunContext, node: string, query: AskedQuery): Promise<void> {
  let fault: string | undefined
  for (let look = 1; look <= looksMax && !run.hasFailed(); look++) {
    fault = await faultOf(run, node, query)
    if (fault === undefined || (look === looksMax && !run.hasFailed())) run.invariants.of(queryTruth).judged('Q1')
    if (fault === undefined) return
    await run.pass(lookAgainMs)
  }
  if (!run.hasFailed() && fault !== undefined) run.invariants.report('Q1', `at ${node} ${fault}`)
}

async function faultOf(run: RunContext, node: string, query: AskedQuery): Promise<string | undefined> {
  const datacenters = (await read<readonly string[]>(run, node, 'catalog/datacenters')) ?? []
  const own = calledName(run.cluster, run.cluster.datacenterNames[0] ?? '')
  const held = new Map<string, readonly HeldInstance[]>()
  for (const datacenter of datacenters) {
    const path = `health/service/${encodeURIComponent(query.service)}?dc=${datacenter}`
    const rows = await read<readonly HealthRow[]>(run, node, path)
    if (rows !== undefined) held.set(datacenter, rows.map(heldInstance))
  }
  const executed = await read<ListedExecution>(run, node, `query/${encodeURIComponent(query.name)}/execute`)
  if (executed === undefined) return `query ${query.name} cannot be executed`
  const told: ToldExecution = {
    datacenter: executed.Datacenter,
    failovers: executed.Failovers,
    found: executed.Nodes.map(nameOf),
  }
  const others = datacenters.filter((datacenter) => datacenter !== own)
  const world: QueryWorld = { own, others, held: (datacenter) => held.get(datacenter) }
  return queryFault(query, told, world)
}

/** Queries that are executed by their own name, and give the same result to every caller. */
function isPlain({ Name, Template, Service }: ListedQuery): boolean {
  return Name !== '' && Template.Type === '' && !Service.Connect
}

function askedQuery({ Name, Service }: ListedQuery): AskedQuery {
  return {
    name: Name,
    service: Service.Service,
    onlyPassing: Service.OnlyPassing,
    ignoredChecks: Service.IgnoreCheckIDs ?? [],
    tags: Service.Tags ?? [],
    nodeMeta: Service.NodeMeta ?? {},
    nearestN: Service.Failover.NearestN,
    datacenters: Service.Failover.Datacenters ?? [],
  }
}

function heldInstance(row: HealthRow): HeldInstance {
  return {
    name: nameOf(row),
    tags: row.Service.Tags,
    nodeMeta: row.Node.Meta ?? {},
    checks: row.Checks.map(({ CheckID, Status }) => ({ id: CheckID, status: Status })),
  }
}

function nameOf({ Node, Service }: Pick<HealthRow, 'Node' | 'Service'>): string {
  return `${Node.Node}/${Service.ID}`
}

async function read<T>(run: RunContext, node: string, path: string): Promise<T | undefined> {
  const to = httpEndpoint(run.cluster.identityOf(node))
  const answer = await run.driver.ask(run, to, { method: 'GET', target: `/v1/${path}`, timeoutMs: answerWithinMs })
  if (typeof answer === 'string' || answer.status !== 200) return undefined
  return JSON.parse(answer.body) as T
}

interface ListedQuery {
  readonly Name: string
  readonly Template: { readonly Type: string }
  readonly Service: {
    readonly Service: string
    readonly OnlyPassing: boolean
    readonly IgnoreCheckIDs: readonly string[] | null
    readonly Tags: readonly string[] | null
    readonly NodeMeta: Readonly<Record<string, string>> | null
    readonly Connect: boolean
    readonly Failover: { readonly NearestN: number; readonly Datacenters: readonly string[] | null }
  }
}

interface HealthRow {
  readonly Node: { readonly Node: string; readonly Meta: Readonly<Record<string, string>> | null }
  readonly Service: { readonly ID: string; readonly Tags: readonly string[] }
  readonly Checks: readonly { readonly CheckID: string; readonly Status: string }[]
}

interface ListedExecution {
  readonly Datacenter: string
  readonly Failovers: number
  readonly Nodes: readonly Pick<HealthRow, 'Node' | 'Service'>[]
}
