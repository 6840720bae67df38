import { z } from 'zod'
import { httpEndpoint } from '../../cluster/node-identity.ts'
import { duration, httpRequest, savedNameField, selector, template } from '../../notation/fields.ts'
import { type Answer, filled, judgeAnswer } from '../answers.ts'
import type { DriverRequest } from '../driver.ts'
import type { Expectation } from './expectation.ts'
import { type Path, type StepRun, step } from './step.ts'

export const request = z
  .strictObject({
    at: selector.describe('The node that the request is sent to.'),
    request: httpRequest.describe('Method and target: PUT /v1/kv/color?flags=3.'),
    body: template.optional(),
    'body from': savedNameField.optional().describe('Instead of body: the body of a saved answer, byte for byte.'),
    headers: z.record(z.string(), template).optional().describe('Headers by name: { X-Svc-Token: secret }.'),
    within: duration.optional().describe('Timeout for the answer; 10s if absent.'),
    save: savedNameField.optional().describe(`Saves the answer: \${name.status}, \${name.body}, \${name.index}.`),
  })
  .describe('Sends a request and waits for the answer; expect beside it says what the answer must be.')

/** A request, and what is expected of its answer. */
interface Asked {
  readonly http?: z.output<typeof request> | undefined
  readonly expect?: Expectation | undefined
}

const answerWithinMs = 10_000

/** The request of a step, ready to be sent. */
export interface PreparedRequest {
  readonly server: string
  readonly to: ReturnType<typeof httpEndpoint>
  readonly request: DriverRequest
}

/** Undefined: the run has failed, because no node can be asked. */
export function preparedRequest(run: StepRun, { http }: Asked, path: Path): PreparedRequest | undefined {
  if (http === undefined) return undefined
  const server = run.select(http.at)[0]
  if (server === undefined) {
    run.fail([...path, 'http'], `'${http.at.text}' matches no node now`)
    return undefined
  }
  const [method = 'GET', target = '/'] = filled(run, http.request).trim().split(/\s+/, 2)
  const bodyText = http.body === undefined ? undefined : filled(run, http.body)
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
  run: StepRun,
  { http, expect }: Asked,
  server: string,
  answer: Answer | string,
  path: Path,
): void {
  if (typeof answer === 'string') return run.fail([...path, 'http'], `no answer from ${server}: ${answer}`)
  run.tell('note', `${server} answers ${answer.status}`)
  const line = http === undefined ? '' : filled(run, http.request)
  run.checksOf(run.cluster.datacenterOf(server)).tell('request answered', { node: server, line, status: answer.status })
  if (http?.save !== undefined) run.driver.answers.set(http.save, answer)
  const wrong = expect === undefined ? undefined : judgeAnswer(expect, answer, (template) => filled(run, template))
  if (wrong !== undefined) run.fail([...path, 'expect'], `the answer of ${server} is not as expected: ${wrong}`)
}

function bytesFrom(run: StepRun, from: string | undefined): { readonly bodyBytes?: Uint8Array } {
  const answer = from === undefined ? undefined : run.driver.answers.get(from)
  return answer === undefined ? {} : { bodyBytes: answer.bytes }
}

export const http = step(
  request,
  async (run, given, path, { expect }) => {
    const asked = { http: given, expect }
    const prepared = preparedRequest(run, asked, path)
    if (prepared === undefined) return
    const answer = await run.driver.ask(run, prepared.to, prepared.request)
    if (!run.hasFailed()) judgeRequest(run, asked, prepared.server, answer, path)
  },
  ({ save }) => (save === undefined ? [] : [save]),
)
