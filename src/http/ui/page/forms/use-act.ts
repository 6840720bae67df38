import type { Asked } from '../api/client.ts'
import type { Answer, Failure } from '../api/failure.ts'
import { useCaller } from '../live/context.ts'
import { useOfCaller } from '../live/use-of-caller.ts'

/** A write that an operator starts, and what became of it. */
export interface Act {
  readonly busy: boolean
  readonly failure: Failure | undefined
  /** What was done; empty: nothing yet. */
  readonly done: string
  /** Sends a request. Resolves with its answer, after the result is shown. */
  send<T>(asked: Asked, done: string, after?: After<T>): Promise<Answer<T>>
  /** As `send`, for a write by check-and-set: its answer `false` is a conflict. */
  sendCas(asked: Asked, done: string, written?: Written<boolean>): Promise<Answer<boolean>>
  /**
   * Sends a request unless what `path` returns has changed, for writes for which the API has no check-and-set. A change in
   * the moment between the two requests is not noticed.
   */
  sendUnchanged<T>(
    path: string,
    isSame: (now: T) => boolean,
    asked: Asked,
    done: string,
    written?: Written<unknown>,
  ): Promise<Answer<unknown>>
  /** Replaces the sentence that says what was done. */
  say(done: string): void
  clear(): void
}

/** What is over before the result of a write is shown, so that a next write can build upon this one. */
export type Written<T> = (value: T) => void | Promise<void>

export interface After<T> {
  /** Says what an answer means, where its status alone does not. */
  judge?(answer: Answer<T>): Answer<T>
  readonly written?: Written<T>
}

const idle = { busy: false, failure: undefined, done: '' } as const

/** With another token, neither a refusal nor a success of before is shown any more. */
export function useAct(): Act {
  const { client } = useCaller()
  const [state = idle, setState] = useOfCaller<Pick<Act, 'busy' | 'failure' | 'done'>>()
  const run = async <T>(
    work: Promise<Answer<T>>,
    done: string,
    written: Written<T> | undefined,
  ): Promise<Answer<T>> => {
    setState({ ...idle, busy: true })
    const answer = await work
    if (answer.ok) await written?.(answer.value)
    setState(answer.ok ? { ...idle, done } : { ...idle, failure: answer.failure })
    return answer
  }
  return {
    ...state,
    send: <T>(asked: Asked, done: string, { judge = asItIs, written }: After<T> = {}) =>
      run(client.ask<T>(asked).then<Answer<T>>(judge), done, written),
    sendCas: (asked, done, written) => run(client.ask<boolean>(asked).then(conflictIfFalse), done, written),
    sendUnchanged: <T>(
      path: string,
      isSame: (now: T) => boolean,
      asked: Asked,
      done: string,
      written?: Written<unknown>,
    ) =>
      run(
        client.ask<T>({ path }).then((now): Promise<Answer<unknown>> | Answer<unknown> => {
          if (!now.ok) return now
          return isSame(now.value) ? client.ask(asked) : { ok: false, failure: { kind: 'conflict' } }
        }),
        done,
        written,
      ),
    say: (done) => setState({ ...idle, done }),
    clear: () => setState(undefined),
  }
}

function asItIs<T>(answer: Answer<T>): Answer<T> {
  return answer
}

function conflictIfFalse(answer: Answer<boolean>): Answer<boolean> {
  return answer.ok && !answer.value ? { ok: false, failure: { kind: 'conflict' } } : answer
}
