import { httpEndpoint } from '../cluster/node-identity.ts'
import { type Answer, judgeAnswer } from './answers.ts'
import type { DriverRequest } from './driver.ts'
import { filled } from './filled.ts'
import type { Step } from './language/step-schema.ts'
import type { RunContext } from './run-context.ts'

type Path = readonly PropertyKey[]
type Asked = Pick<Step, 'http' | 'expect'>

const answerWithinMs = 10_000

/** The request of a step, ready to be sent. */
export interface PreparedRequest {
  readonly server: string
  readonly to: ReturnType<typeof httpEndpoint>
  readonly request: DriverRequest
}

/** Sends the request of a step and waits for the answer. */
export async function performRequest(run: RunContext, step: Asked, path: Path): Promise<void> {
  const prepared = preparedRequest(run, step, path)
  if (prepared === undefined) return
  const answer = await run.driver.ask(run, prepared.to, prepared.request)
  if (!run.hasFailed()) judgeRequest(run, step, prepared.server, answer, path)
}

/** Undefined: the run has failed, because no node can be asked. */
export function preparedRequest(run: RunContext, { http }: Asked, path: Path): PreparedRequest | undefined {
  if (http === undefined) return undefined
  const server = run.select(http.at)[0]
  if (server === undefined) {
    run.fail([...path, 'http'], `'${http.at.text}' is nobody now`)
    return undefined
  }
  const [method = 'GET', target = '/'] = filled(run, http.request).trim().split(/\s+/, 2)
  const bodyText = http.body === undefined ? undefined : filled(run, http.body)
  for (const node of run.cluster.nodeNames) {
    if (!asksToTakeOut(run, node, server, { target, body: bodyText })) continue
    run.cluster.mayGo(node, target.startsWith('/v1/agent/leave') ? 'left' : 'operator')
  }
  const headers = Object.entries(http.headers ?? {}).map(([name, value]) => [name, filled(run, value)] as const)
  const request = {
    method: method.toUpperCase(),
    target,
    token: '',
    headers,
    ...(bodyText === undefined ? {} : { bodyText }),
    ...bytesFrom(run, http['body from']),
    timeoutMs: http.within ?? answerWithinMs,
  }
  return { server, to: httpEndpoint(run.cluster.identityOf(server)), request }
}

/** Saves the answer if the step says so, and compares it with the expectation. */
export function judgeRequest(
  run: RunContext,
  { http, expect }: Asked,
  server: string,
  answer: Answer | string,
  path: Path,
): void {
  if (typeof answer === 'string') return run.fail([...path, 'http'], `no answer from ${server}: ${answer}`)
  run.tell('note', `${server} answers ${answer.status}`)
  if (http?.save !== undefined) run.driver.answers.set(http.save, answer)
  const wrong = expect === undefined ? undefined : judgeAnswer(expect, answer, (template) => filled(run, template))
  if (wrong !== undefined) run.fail([...path, 'expect'], `the answer of ${server} is not as expected: ${wrong}`)
}

function bytesFrom(run: RunContext, from: string | undefined): { readonly bodyBytes?: Uint8Array } {
  const answer = from === undefined ? undefined : run.driver.answers.get(from)
  return answer === undefined ? {} : { bodyBytes: answer.bytes }
}

/** Whether the scenario itself removes a node from the catalog or the pool, or makes it leave. */
function asksToTakeOut(
  { cluster }: RunContext,
  node: string,
  asked: string,
  { target, body }: { readonly target: string; readonly body: string | undefined },
): boolean {
  if (target.startsWith('/v1/agent/leave')) return node === asked
  if (target.startsWith(`/v1/agent/force-leave/${node}`)) return true
  const { id, host } = cluster.identityOf(node)
  if (target.startsWith('/v1/operator/raft/peer')) return target.includes(id) || target.includes(`=${host}:`)
  return target.startsWith('/v1/catalog/deregister') && body?.includes(`"${node}"`) === true
}
