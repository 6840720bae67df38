import type { z } from 'zod'
import { jsonOrUndefined } from '../../base/json.ts'
import { err, ok, type Result } from '../../base/result.ts'
import { ApiClient, type ApiResponse, type Query, unexpectedText } from '../api/client.ts'
import type { Invocation, Losses } from '../command.ts'

/** What one guard found: a sentence for each loss. The error is a clause that says why the losses are unknown. */
export type Found = Result<readonly string[], string>

/** Reads what a command would destroy. Without an agent that answers nothing is found, and the command reports that. */
export async function readLosses(invocation: Invocation, find: (reads: GuardReads) => Promise<Found>): Promise<Losses> {
  const reads = new GuardReads(invocation)
  const found = await find(reads)
  if (!reads.answered) return { kind: 'no-agent' }
  return found.ok ? { kind: 'known', sentences: found.value } : { kind: 'unknown', why: found.error }
}

/** The reads of a guard, which notice when no agent answers. */
export class GuardReads {
  readonly #client: ApiClient
  #answered = true

  constructor(invocation: Invocation) {
    this.#client = new ApiClient(invocation)
  }

  /** Whether each read so far had an answer, whatever the answer was. */
  get answered(): boolean {
    return this.#answered
  }

  async ask(path: string, query: Query = []): Promise<Result<ApiResponse, string>> {
    const answer = await this.#client.send('GET', path, query)
    if (!answer.ok) this.#answered = false
    return answer
  }

  async json<T>(path: string, shape: z.ZodType<T>, query: Query = []): Promise<Result<T, string>> {
    const answer = await this.ask(path, query)
    if (!answer.ok) return answer
    if (answer.value.status !== 200) return err(`GET ${path}: ${unexpectedText(answer.value)}`)
    const read = shape.safeParse(jsonOrUndefined(answer.value.body))
    return read.success ? ok(read.data) : err(`the answer to GET ${path} cannot be read`)
  }
}

/** `3 services`, `1 service`. */
export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}
