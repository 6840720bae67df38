import { useState } from 'preact/hooks'
import type { Asked } from '../api/client.ts'
import type { Answer, Failure } from '../api/failure.ts'
import { useCaller } from '../live/context.ts'

/** A write that an operator starts, and what became of it. */
export interface Act {
  readonly busy: boolean
  readonly failure: Failure | undefined
  /** What was done; empty: nothing yet. */
  readonly done: string
  /** Sends a request. Resolves with its answer, after the result is shown. */
  send<T>(asked: Asked, done: string): Promise<Answer<T>>
  /**
   * As `send`, for a write by check-and-set: its answer `false` is a conflict. What `written` does is over before the
   * result is shown, so that a next write can build upon this one.
   */
  sendCas(asked: Asked, done: string, written?: () => Promise<void>): Promise<Answer<boolean>>
  /**
   * Sends a request unless what `path` returns has changed, for writes for which the API has no check-and-set. A change in
   * the moment between the two requests is not noticed.
   */
  sendUnchanged<T>(path: string, isSame: (now: T) => boolean, asked: Asked, done: string): Promise<Answer<unknown>>
  /** Replaces the sentence that says what was done. */
  say(done: string): void
  clear(): void
}

export function useAct(): Act {
  const { client } = useCaller()
  const [state, setState] = useState<Pick<Act, 'busy' | 'failure' | 'done'>>(idle)
  const run = async <T>(work: Promise<Answer<T>>, done: string): Promise<Answer<T>> => {
    setState({ ...idle, busy: true })
    const answer = await work
    setState(answer.ok ? { ...idle, done } : { ...idle, failure: answer.failure })
    return answer
  }
  return {
    ...state,
    send: <T>(asked: Asked, done: string) => run(client.ask<T>(asked), done),
    sendCas: (asked, done, written) => {
      const work = async (): Promise<Answer<boolean>> => {
        const answer = conflictIfFalse(await client.ask<boolean>(asked))
        if (answer.ok) await written?.()
        return answer
      }
      return run(work(), done)
    },
    sendUnchanged: <T>(path: string, isSame: (now: T) => boolean, asked: Asked, done: string) =>
      run(
        client.ask<T>({ path }).then((now): Promise<Answer<unknown>> | Answer<unknown> => {
          if (!now.ok) return now
          return isSame(now.value) ? client.ask(asked) : { ok: false, failure: { kind: 'conflict' } }
        }),
        done,
      ),
    say: (done) => setState({ ...idle, done }),
    clear: () => setState(idle),
  }
}

const idle = { busy: false, failure: undefined, done: '' } as const

function conflictIfFalse(answer: Answer<boolean>): Answer<boolean> {
  return answer.ok && !answer.value ? { ok: false, failure: { kind: 'conflict' } } : answer
}
