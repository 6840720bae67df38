import { emptyBytes, utf8 } from '../../base/bytes.ts'
import { err, ok, type Result } from '../../base/result.ts'
import type { Env } from '../../env/env.ts'
import { headerSaid } from '../../model/naming/names.ts'
import { pause } from '../../model/pause.ts'
import { jobFolder, type NodeWord, type RemoteExecCall, wordOf } from '../../model/remote-exec.ts'
import { type ApiClient, keyPath, type Query, unexpectedText } from './client.ts'

/** Longest wait that a read requests, even if no entry may come for longer: its connection must outlive the wait. */
const readMsMax = 15_000
/**
 * Maximum number of failed reads in a row: an agent answers with an error while the servers elect a leader. Giving
 * up ends the session, and with it the job on every node.
 */
const failuresMax = 5
/** Pause after a failed read. */
const retryMs = 1_000

/** One entry that a node wrote for a job, with the value of its key if it has one. */
export interface Said {
  readonly node: string
  readonly word: NodeWord
  readonly value: Uint8Array
}

/** The output of nodes for one job, as they write it under the job's keys. */
export class RemoteAnswers {
  readonly #env: Env
  readonly #client: ApiClient
  readonly #call: RemoteExecCall
  readonly #seen = new Set<string>()
  #index = '0'

  constructor(env: Env, client: ApiClient, call: RemoteExecCall) {
    this.#env = env
    this.#client = client
    this.#call = call
  }

  /**
   * Passes every new entry to `use`, until nothing new has come for `quietMs`, or the caller stops. Failed reads are
   * repeated.
   */
  async follow(
    quietMs: number,
    use: (said: Said) => void,
    interrupted: Promise<'interrupted'>,
  ): Promise<Result<undefined, string>> {
    let untilMs = this.#env.clock.monoMs() + quietMs
    for (let failures = 0; ; ) {
      const leftMs = untilMs - this.#env.clock.monoMs()
      if (leftMs <= 0) return ok(undefined)
      const news = await Promise.race([this.#news(Math.min(leftMs, readMsMax)), interrupted])
      if (news === 'interrupted') return ok(undefined)
      // While reads fail, the nodes may write: that time does not count as quiet.
      const mayHaveMissed = !news.ok || failures > 0
      failures = news.ok ? 0 : failures + 1
      if (!news.ok) {
        if (failures > failuresMax) return news
        this.#index = '0'
        if ((await Promise.race([pause(this.#env, retryMs), interrupted])) === 'interrupted') return ok(undefined)
      } else for (const said of news.value) use(said)
      if (mayHaveMissed || (news.ok && news.value.length > 0)) untilMs = this.#env.clock.monoMs() + quietMs
    }
  }

  async #news(waitMs: number): Promise<Result<readonly Said[], string>> {
    const folder = jobFolder(this.#call)
    const query: Query = [['keys', ''], ...this.#blocking(waitMs)]
    const answer = await this.#client.send('GET', keyPath(folder), query)
    if (!answer.ok) return answer
    const { status, headers, body } = answer.value
    if (status === 404) return err('the job is gone: its session ended')
    const { readKeys } = await import('./answers.ts')
    const keys = status === 200 ? readKeys(body) : undefined
    if (keys === undefined) return err(unexpectedText(answer.value))
    this.#index = headerSaid(headers, 'index') ?? '0'
    const news: (Said & { readonly key: string })[] = []
    for (const key of keys) {
      const said = wordOf(key.slice(folder.length))
      if (said === undefined || this.#seen.has(key)) continue
      const value = said.word.kind === 'ack' ? ok(emptyBytes) : await this.#value(key)
      if (!value.ok) return value
      news.push({ ...said, value: value.value, key })
    }
    // Only now, because all of them are read again after a failure.
    for (const { key } of news) this.#seen.add(key)
    // Keys come in the order of their bytes, so an exit would come before the output although the node wrote it last.
    return ok([...news.filter(({ word }) => word.kind !== 'exit'), ...news.filter(({ word }) => word.kind === 'exit')])
  }

  #blocking(waitMs: number): Query {
    if (this.#index === '0') return []
    return [
      ['index', this.#index],
      ['wait', `${Math.ceil(waitMs)}ms`],
    ]
  }

  #value(key: string): Promise<Result<Uint8Array, string>> {
    return this.#client.expect('GET', keyPath(key), [['raw', '']])
  }
}

/** The job as the agents read it. */
export function jobBody(job: {
  readonly command: string
  readonly args: readonly string[]
  readonly scriptBase64: string
  readonly waitMs: number
}): Uint8Array {
  return utf8(
    JSON.stringify({
      Command: job.command,
      Args: job.args,
      Script: job.scriptBase64,
      Wait: Math.round(job.waitMs * 1e6),
    }),
  )
}
