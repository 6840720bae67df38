import type { Answer } from './answers.ts'
import type { Step, TogetherItem } from './language/step-schema.ts'
import { judgeRequest, preparedRequest } from './requests.ts'
import type { RunContext } from './run-context.ts'

type Path = readonly PropertyKey[]

/** A request under way. */
interface Sent {
  readonly item: TogetherItem
  readonly path: Path
  readonly server: string
  /** Absent until it arrives. */
  answer?: Answer | string
}

/**
 * Does several things at one moment of true time: first each of them in the order of the list, with no time in between,
 * then waits for the answers to all requests and judges them in that order.
 */
export async function performTogether(
  run: RunContext,
  items: NonNullable<Step['together']>,
  path: Path,
): Promise<void> {
  const sent: Sent[] = []
  let waitMs = 0
  for (const [at, item] of items.entries()) {
    const here = [...path, 'together', at]
    if (item.http === undefined) doNow(run, item, here)
    else {
      const request = send(run, item, here)
      if (request !== undefined) {
        sent.push(request.sent)
        waitMs = Math.max(waitMs, request.timeoutMs * 2)
      }
    }
    if (run.hasFailed()) return
  }
  if (sent.length > 0) await run.passUntil(() => sent.every(({ answer }) => answer !== undefined), waitMs)
  for (const { item, path: here, server, answer = 'the run ended first' } of sent) {
    if (run.hasFailed()) return
    judgeRequest(run, item, server, answer, here)
  }
}

function doNow(run: RunContext, item: TogetherItem, path: Path): void {
  if (item.workload !== undefined) return run.switchWorkload(item.workload)
  const deed = run.injector.perform(item, run.stepScope())
  if (deed.ok) run.tell('fault', deed.value)
  else run.fail(path, `cannot be done: ${deed.error}`)
}

function send(
  run: RunContext,
  item: TogetherItem,
  path: Path,
): { readonly sent: Sent; readonly timeoutMs: number } | undefined {
  const prepared = preparedRequest(run, item, path)
  if (prepared === undefined) return undefined
  const { server, to, request } = prepared
  const sent: Sent = { item, path, server }
  run.driver.send(to, request, (answer) => {
    sent.answer = answer
  })
  return { sent, timeoutMs: request.timeoutMs }
}
