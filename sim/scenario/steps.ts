import { formatDuration } from '../../src/base/duration.ts'
import { httpEndpoint } from '../cluster/node-identity.ts'
import { drawRange } from '../faults/injector.ts'
import { type Answer, judgeAnswer, partOf } from './answers.ts'
import { conditionText } from './judge.ts'
import type { RunContext } from './run-context.ts'
import type { Step } from './step-schema.ts'
import { savedName, type Template } from './template.ts'

type Path = readonly PropertyKey[]
type Conditions = Omit<NonNullable<Step['eventually']>, 'within'>

/** How often a condition is looked at again while it is waited for. */
const lookEveryMs = 10
/** How often a key is read again while it is waited for. */
const readEveryMs = 100
const answerWithinMs = 10_000

/** Does one step; what is not met fails the run with the place of the step. */
export async function performStep(run: RunContext, step: Step, path: Path): Promise<void> {
  if (step.wait !== undefined) return run.pass(drawRange(run.stepScope().draw, step.wait))
  if (step.http !== undefined) return performRequest(run, step, path)
  if (step.eventually !== undefined) return performEventually(run, step.eventually, path)
  if (step.always !== undefined) return performAlways(run, step.always, path)
  if (step.never !== undefined) return performNever(run, step.never, path)
  if (step.expect !== undefined) return performExpect(run, step.expect, path)
  if (step.save !== undefined) return performSave(run, step.save, path)
  if (step.workload !== undefined) {
    return run.switchWorkload(step.workload)
  }
  const deed = run.injector.perform(step, run.stepScope())
  if (deed.ok) run.tell('fault', deed.value)
  else run.fail(path, `cannot be done: ${deed.error}`)
}

function performSave(run: RunContext, save: NonNullable<Step['save']>, path: Path): void {
  for (const [name, selector] of Object.entries(save)) {
    const servers = run.select(selector)
    if (servers.length === 0) run.fail([...path, 'save', name], `'${selector.text}' is nobody now`)
    run.saved.set(name, servers)
    run.tell('note', `${name}: ${servers.join(' ')}`)
  }
}

async function performExpect(run: RunContext, expected: NonNullable<Step['expect']>, path: Path): Promise<void> {
  const found = await unmet(run, expected)
  if (found !== undefined) run.fail([...path, 'expect'], `expected ${conditionText(expected)}: ${found}`)
}

async function performEventually(run: RunContext, awaited: NonNullable<Step['eventually']>, path: Path): Promise<void> {
  const untilUs = run.simulation.nowUs + awaited.within * 1000
  let found: string | undefined
  while (!run.hasFailed()) {
    found = await unmet(run, awaited)
    if (found === undefined) return
    const leftMs = (untilUs - run.simulation.nowUs) / 1000
    if (leftMs <= 0) break
    await run.pass(Math.min(leftMs, awaited.kv === undefined ? lookEveryMs : readEveryMs))
  }
  if (run.hasFailed()) return
  const what = `not within ${formatDuration(awaited.within)}: ${conditionText(awaited)}`
  run.fail([...path, 'eventually'], `${what}: ${found}`)
}

async function performAlways(run: RunContext, held: NonNullable<Step['always']>, path: Path): Promise<void> {
  let found = run.judge(held)
  await run.passUntil(() => {
    found ??= run.judge(held)
    return found !== undefined
  }, held.for)
  if (found !== undefined) run.fail([...path, 'always'], `always ${conditionText(held)}: now ${found}`)
}

async function performNever(run: RunContext, shunned: NonNullable<Step['never']>, path: Path): Promise<void> {
  const met = await run.passUntil(() => run.judge(shunned) === undefined, shunned.for)
  if (met) run.fail([...path, 'never'], `never ${conditionText(shunned)}: now it is so`)
}

/** What is so instead of the conditions; undefined when all hold. */
async function unmet(run: RunContext, conditions: Conditions): Promise<string | undefined> {
  const found = run.judge(conditions)
  if (found !== undefined || conditions.kv === undefined) return found
  const { kv } = conditions
  const filled = (template: Template): string => fill(run, template)
  const running = run.cluster.serverNames.filter((server) => run.cluster.isRunning(server))
  const servers = kv.at === undefined ? running.slice(0, 1) : run.select(kv.at)
  if (servers.length === 0) return 'there is no server to ask'
  const suffix = kv.consistency === undefined || kv.consistency === 'default' ? '' : `&${kv.consistency}`
  const target = `/v1/kv/${filled(kv.key)}?raw${suffix}`
  for (const server of servers) {
    const answer = await run.driver.ask(run, endpointOf(run, server), {
      method: 'GET',
      target,
      timeoutMs: answerWithinMs,
    })
    if (typeof answer === 'string') return `${server}: ${answer}`
    if (kv.absent === true ? answer.status !== 404 : answer.status !== 200) {
      return `${server} answers status ${answer.status}, '${answer.body.trim().slice(0, 80)}'`
    }
    if (kv.value !== undefined && answer.body !== filled(kv.value)) return `${server} has '${answer.body.slice(0, 80)}'`
  }
  return undefined
}

async function performRequest(run: RunContext, step: Step, path: Path): Promise<void> {
  const { http, expect } = step
  if (http === undefined) return
  const server = run.select(http.at)[0]
  if (server === undefined) return run.fail([...path, 'http'], `'${http.at.text}' is nobody now`)
  const [method = 'GET', target = '/'] = fill(run, http.request).trim().split(/\s+/, 2)
  const headers = Object.entries(http.headers ?? {}).map(([name, value]) => [name, fill(run, value)] as const)
  const answer = await run.driver.ask(run, endpointOf(run, server), {
    method: method.toUpperCase(),
    target,
    headers,
    ...(http.body === undefined ? {} : { bodyText: fill(run, http.body) }),
    timeoutMs: http.within ?? answerWithinMs,
  })
  if (run.hasFailed()) return
  if (typeof answer === 'string') return run.fail([...path, 'http'], `no answer from ${server}: ${answer}`)
  run.tell('note', `${server} answers ${answer.status}`)
  if (http.save !== undefined) run.driver.answers.set(http.save, answer)
  const wrong = expect === undefined ? undefined : judgeAnswer(expect, answer, (template) => fill(run, template))
  if (wrong !== undefined) run.fail([...path, 'expect'], `the answer of ${server} is not as expected: ${wrong}`)
}

function endpointOf(run: RunContext, server: string): ReturnType<typeof httpEndpoint> {
  return httpEndpoint(run.cluster.identityOf(server))
}

/** The text with every `${name}` and `${name.part}` replaced by what was saved. */
function fill(run: RunContext, template: Template): string {
  return template.filled((reference) => {
    const name = savedName(reference)
    const servers = run.saved.get(name)
    if (servers !== undefined) return servers.join(', ')
    const answer: Answer | undefined = run.driver.answers.get(name)
    const part = reference.slice(name.length + 1) || 'body'
    return answer === undefined ? '' : (partOf(answer, part) ?? '')
  })
}
