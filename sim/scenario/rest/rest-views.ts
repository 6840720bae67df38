import type { DnsRecord } from '../../../src/dns-wire/message.ts'
import { defaultDomain, headerSaid } from '../../../src/model/naming/names.ts'
import { svcNaming } from '../../../src/model/naming/naming.ts'
import {
  countViews,
  oneTruth,
  type ServiceViews,
  type ToldInstance,
  viewFaults,
} from '../../checkers/pool/one-truth.ts'
import { isHostName } from '../../checkers/reads/name-records.ts'
import { settingsTold } from '../../checkers/reads/settings-told.ts'
import { dnsEndpoint, httpEndpoint } from '../../cluster/node-identity.ts'
import type { Answer } from '../answers.ts'
import type { RunContext } from '../run-context.ts'

const answerWithinMs = 10_000
/** Maximum number of compared services, drawn at random if there are more. */
const servicesMax = 8
/**
 * Maximum number of comparisons: of two answers, only one may include a change under way, because they may come from
 * different servers.
 */
const looksMax = 20
const lookAgainMs = 500
/** A name that DNS can look up. */
const label = /^[A-Za-z0-9-]{1,63}$/

/** At rest, one agent, drawn at random: its answers about every service agree over HTTP and DNS (E2). */
export async function compareViews(run: RunContext): Promise<void> {
  if (run.hasFailed()) return
  const present = run.cluster.nodeNames.filter((node) => !run.cluster.hasLeft(node))
  const draws = run.simulation.decisions.draws('rest views')
  const node = draws.oneOf(present, (name) => name) as string
  const all = Object.keys((await read<Readonly<Record<string, unknown>>>(run, node, 'catalog/services'))?.body ?? {})
  const services = draws.inOrder(all, (name) => name).slice(0, servicesMax)
  for (const service of services) await compareService(run, node, service)
}

async function compareService(run: RunContext, node: string, service: string): Promise<void> {
  let faults: readonly string[] = []
  let shownIn: readonly number[] = []
  for (let look = 1; look <= looksMax && !run.hasFailed(); look++) {
    const looked = await viewsOf(run, node, service)
    const views = looked?.views
    shownIn = looked?.shownIn ?? []
    faults = views === undefined ? [`the answers about ${service} do not come to rest`] : viewFaults(views)
    const isOver = look === looksMax && !run.hasFailed()
    if (views !== undefined && (faults.length === 0 || isOver)) countViews(run.invariants.of(oneTruth), views)
    if (faults.length === 0) return
    await run.pass(lookAgainMs)
  }
  if (run.hasFailed()) return
  for (const fault of faults) run.invariants.report('E2', `at ${node} ${fault}`, shownIn)
}

interface Looked {
  readonly views: ServiceViews
  /** The events of the answers. */
  readonly shownIn: readonly number[]
}

/** Undefined: something changed meanwhile, or there was no answer. */
async function viewsOf(run: RunContext, node: string, service: string): Promise<Looked | undefined> {
  const name = encodeURIComponent(service)
  const before = await read<readonly HealthRow[]>(run, node, `health/service/${name}`)
  const catalog = await read<readonly CatalogRow[]>(run, node, `catalog/service/${name}`)
  const passing = await read<readonly HealthRow[]>(run, node, `health/service/${name}?passing`)
  const dns = label.test(service) ? await places(run, node, service) : []
  const dnsIn = run.invariants.eventNow()
  const after = await read<readonly HealthRow[]>(run, node, `health/service/${name}`)
  if (before === undefined || catalog === undefined || passing === undefined || dns === undefined) return undefined
  if (after === undefined || before.index !== after.index) return undefined
  const shownIn = [before.event, catalog.event, passing.event, dnsIn]
  const views = {
    service,
    catalog: catalog.body.map(({ Node, ServiceID }) => `${Node}/${ServiceID}`),
    health: before.body.map(toldInstance),
    passing: passing.body.map((row) => toldInstance(row).name),
    dns: label.test(service) ? dns : undefined,
    onlyPassing: run.checksOf(run.cluster.datacenterOf(node)).of(settingsTold).dnsOf(node)?.onlyPassing === true,
  }
  return { views, shownIn }
}

function toldInstance({ Node, Service, Checks }: HealthRow): ToldInstance {
  return {
    name: `${Node.Node}/${Service.ID}`,
    // The target of an instance with an address of its own is made of that address: only the port is compared.
    place: `${Service.Address === '' || isHostName(Service.Address) ? Node.Node : ''}:${Service.Port}`,
    checks: Checks.map(({ Status }) => Status),
  }
}

async function places(run: RunContext, node: string, service: string): Promise<readonly string[] | undefined> {
  const to = dnsEndpoint(run.cluster.identityOf(node))
  const own = run.checksOf(run.cluster.datacenterOf(node)).of(settingsTold).dnsOf(node)?.domains[0]
  const domain = own ?? `${defaultDomain(run.cluster.agentOf(node)?.naming ?? svcNaming)}.`
  const question = {
    name: `${service}.service.${domain}`,
    type: 'SRV',
    over: 'tcp',
    timeoutMs: answerWithinMs,
  } as const
  const answer = await run.driver.resolve(run, to, question)
  if (typeof answer === 'string' || (answer.rcode !== 'NOERROR' && answer.rcode !== 'NXDOMAIN')) return undefined
  return answer.answers.flatMap(placeOf)
}

function placeOf(record: DnsRecord): readonly string[] {
  if (record.type !== 'SRV') return []
  const node = /^([^.]+)\.node\./.exec(record.target)?.[1] ?? ''
  return [`${node}:${record.port}`]
}

async function read<T>(run: RunContext, node: string, path: string): Promise<Answered<T> | undefined> {
  const to = httpEndpoint(run.cluster.identityOf(node))
  const asked = { method: 'GET', target: `/v1/${path}`, timeoutMs: answerWithinMs }
  const answer: Answer | string = await run.driver.ask(run, to, asked)
  if (typeof answer === 'string' || answer.status !== 200) return undefined
  const index = Number(headerSaid(answer.headers, 'index') ?? 0)
  return { body: JSON.parse(answer.body) as T, index, event: run.invariants.eventNow() }
}

interface Answered<T> {
  readonly body: T
  readonly index: number
  readonly event: number
}

interface CatalogRow {
  readonly Node: string
  readonly ServiceID: string
}

interface HealthRow {
  readonly Node: { readonly Node: string }
  readonly Service: { readonly ID: string; readonly Port: number; readonly Address: string }
  readonly Checks: readonly { readonly Status: string }[]
}
