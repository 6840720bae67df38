import type { z } from 'zod'
import { jsonOrUndefined } from '../../base/json.ts'
import { err, ok, type Result } from '../../base/result.ts'
import { ApiClient, type ApiResponse, type Hearing, type Query, unexpectedText } from '../api/client.ts'
import type { Invocation, Losses } from '../command.ts'

/** What one guard found: a sentence for each loss. The error is a clause that says why the losses are unknown. */
export type Found = Result<readonly string[], string>

/**
 * Reads what a command would destroy. Without an agent nothing is found, and the command reports that. What an agent does
 * not tell, because a read took too long or broke, is unknown: the agent may serve the command nevertheless.
 */
export async function readLosses(invocation: Invocation, find: (reads: GuardReads) => Promise<Found>): Promise<Losses> {
  const reads = new GuardReads(invocation)
  const found = await find(reads)
  if (!reads.reached) return { kind: 'no-agent' }
  return found.ok ? { kind: 'known', sentences: found.value } : { kind: 'unknown', why: found.error }
}

/** The reads of a guard, which notice when there is no agent. */
export class GuardReads {
  readonly #client: ApiClient

  constructor(invocation: Invocation) {
    this.#client = new ApiClient(invocation)
  }

  get reached(): boolean {
    return this.#client.reached
  }

  ask(path: string, query: Query = [], hearing: Hearing = {}): Promise<Result<ApiResponse, string>> {
    return this.#client.send('GET', path, query, undefined, hearing)
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
