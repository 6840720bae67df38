import { z } from 'zod'
import type { TypeName } from '../../../src/dns-wire/message.ts'
import { dnsEndpoint, httpEndpoint } from '../../cluster/node-identity.ts'
import { httpRequest, selector, template } from '../../notation/fields.ts'
import type { Selector } from '../../notation/selector.ts'
import { filled, matches } from '../answers.ts'
import { type AskingRun, askedCondition } from './condition.ts'

const answerWithinMs = 10_000

const keyBound = z
  .strictObject({
    key: template,
    value: template.optional().describe('What the key must hold.'),
    absent: z.literal(true).optional().describe('There must be no such key.'),
    at: selector
      .optional()
      .describe('The servers that are asked; each must give this answer. One running server if absent.'),
    consistency: z.enum(['default', 'consistent', 'stale']).optional(),
  })
  .superRefine((given, context) => {
    if ((given.value === undefined) === (given.absent === undefined)) {
      context.issues.push({ code: 'custom', message: "give either 'value' or 'absent: true'", input: given })
    }
  })
  .describe(
    'What a key holds, read over HTTP: at the first server that runs, even if it is cut off, unless at says where.',
  )

export const kv = askedCondition(keyBound, judgeKey)

async function judgeKey(kv: z.output<typeof keyBound>, run: AskingRun): Promise<string | undefined> {
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

const answerBound = z
  .strictObject({
    at: selector
      .optional()
      .describe('The agents that are asked; each must give this answer. All running agents if absent.'),
    request: httpRequest.describe('Method and target: GET /v1/health/service/web?passing.'),
    status: z.int().min(100).max(599).optional(),
    body: template.optional().describe('The whole body, or /a regular expression/.'),
  })
  .superRefine((given, context) => {
    if (given.status !== undefined || given.body !== undefined) return
    context.issues.push({ code: 'custom', message: "no answer is expected: add 'status' or 'body'", input: given })
  })
  .describe('What agents answer to a request.')

export const answer = askedCondition(answerBound, judgeHttp)

async function judgeHttp(expected: z.output<typeof answerBound>, run: AskingRun): Promise<string | undefined> {
  const nodes = askedNodes(run, expected.at)
  if (nodes.length === 0) return 'there is no agent to ask'
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

const dnsBound = z
  .strictObject({
    at: selector
      .optional()
      .describe('The agents that are asked; each must give this answer. All running agents if absent.'),
    question: z
      .string()
      .regex(
        /^\S+\.( (A|AAAA|SRV|TXT|ANY|NS|SOA|PTR|CNAME))?$/,
        "write 'web.service.svc. SRV': a name that ends in a dot, and a type",
      )
      .describe('An absolute name and a type, A if absent.'),
    answers: z.int().min(0).optional().describe('How many records the answer section has.'),
    contains: template.optional().describe('One of them has this as its address or target.'),
    rcode: z.enum(['NOERROR', 'NXDOMAIN', 'SERVFAIL', 'REFUSED', 'FORMERR']).default('NOERROR'),
    over: z.enum(['udp', 'tcp']).default('udp'),
  })
  .describe('What agents answer to a DNS question.')

export const dns = askedCondition(dnsBound, judgeDns)

async function judgeDns(expected: z.output<typeof dnsBound>, run: AskingRun): Promise<string | undefined> {
  const nodes = askedNodes(run, expected.at)
  if (nodes.length === 0) return 'there is no agent to ask'
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

function askedNodes(run: AskingRun, at: Selector | undefined): readonly string[] {
  if (at !== undefined) return run.select(at)
  return run.cluster.nodeNames.filter((node) => run.cluster.isRunning(node))
}

function get(run: AskingRun, node: string, method: string, target: string) {
  const to = httpEndpoint(run.cluster.identityOf(node))
  return run.driver.ask(run, to, { method, target, timeoutMs: answerWithinMs })
}
