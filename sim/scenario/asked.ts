import type { TypeName } from '../../src/dns-wire/message.ts'
import { dnsEndpoint, httpEndpoint } from '../cluster/node-identity.ts'
import type { Selector } from '../notation/selector.ts'
import { matches } from './answers.ts'
import { filled } from './filled.ts'
import type { Condition } from './language/condition-schema.ts'
import type { RunContext } from './run-context.ts'

const answerWithinMs = 10_000

/** Judges a condition that needs requests: undefined if it holds, otherwise what is true instead, as one clause. */
export async function judgeAsked(run: RunContext, condition: Partial<Condition>): Promise<string | undefined> {
  return (
    (await judgeKey(run, condition.kv)) ??
    (await judgeHttp(run, condition.answer)) ??
    (await judgeDns(run, condition.dns))
  )
}

async function judgeKey(run: RunContext, kv: Condition['kv']): Promise<string | undefined> {
  if (kv === undefined) return undefined
  const { cluster } = run
  const running = cluster.serverNames.filter(
    (server) => cluster.isRunning(server) && cluster.datacenterOf(server) === cluster.datacenterNames[0],
  )
  const servers = kv.at === undefined ? running.slice(0, 1) : run.select(kv.at)
  if (servers.length === 0) return 'there is no server to ask'
  const suffix = kv.consistency === undefined || kv.consistency === 'default' ? '' : `&${kv.consistency}`
  const target = `/v1/kv/${filled(run, kv.key)}?raw${suffix}`
  for (const server of servers) {
    const answer = await get(run, server, 'GET', target)
    if (typeof answer === 'string') return `${server}: ${answer}`
    if (kv.absent === true ? answer.status !== 404 : answer.status !== 200) {
      return `${server} answers status ${answer.status}, '${answer.body.trim().slice(0, 80)}'`
    }
    if (kv.value !== undefined && answer.body !== filled(run, kv.value)) {
      return `${server} has '${answer.body.slice(0, 80)}'`
    }
  }
  return undefined
}

async function judgeHttp(run: RunContext, expected: Condition['answer']): Promise<string | undefined> {
  if (expected === undefined) return undefined
  const nodes = askedNodes(run, expected.at)
  if (nodes.length === 0) return 'there is nobody to ask'
  const [method = 'GET', target = '/'] = filled(run, expected.request).trim().split(/\s+/, 2)
  for (const node of nodes) {
    const answer = await get(run, node, method.toUpperCase(), target)
    if (typeof answer === 'string') return `${node}: ${answer}`
    if (expected.status !== undefined && answer.status !== expected.status) {
      return `${node} answers status ${answer.status}, '${answer.body.trim().slice(0, 80)}'`
    }
    if (expected.body !== undefined && !matches(filled(run, expected.body), answer.body)) {
      return `${node} answers '${answer.body.trim().replaceAll('\n', ' ').slice(0, 200)}'`
    }
  }
  return undefined
}

async function judgeDns(run: RunContext, expected: Condition['dns']): Promise<string | undefined> {
  if (expected === undefined) return undefined
  const nodes = askedNodes(run, expected.at)
  if (nodes.length === 0) return 'there is nobody to ask'
  const [name = '.', type = 'A'] = expected.question.split(' ')
  for (const node of nodes) {
    const to = dnsEndpoint(run.cluster.identityOf(node))
    const question = { name, type: type as TypeName, over: expected.over, timeoutMs: answerWithinMs }
    const answer = await run.driver.resolve(run, to, question)
    if (typeof answer === 'string') return `${node}: ${answer}`
    const said = `${node} answers ${answer.rcode}, ${answer.answers.map(recordText).join(', ') || 'no records'}`
    if (answer.rcode !== expected.rcode) return said
    if (expected.answers !== undefined && answer.answers.length !== expected.answers) return said
    const wanted = expected.contains === undefined ? undefined : filled(run, expected.contains)
    if (wanted !== undefined && !answer.answers.some((record) => recordText(record) === wanted)) return said
  }
  return undefined
}

/** The record's address or target. */
function recordText(record: object): string {
  if ('address' in record) return String(record.address)
  return 'target' in record ? String(record.target) : JSON.stringify(record)
}

function askedNodes(run: RunContext, at: Selector | undefined): readonly string[] {
  if (at !== undefined) return run.select(at)
  return run.cluster.nodeNames.filter((node) => run.cluster.isRunning(node))
}

function get(run: RunContext, node: string, method: string, target: string) {
  const to = httpEndpoint(run.cluster.identityOf(node))
  return run.driver.ask(run, to, { method, target, timeoutMs: answerWithinMs })
}
