import type { WatchDefinition } from '../agent/settings/watch-settings.ts'
import { emptyBytes, utf8 } from '../base/bytes.ts'
import { err, ok, type Result } from '../base/result.ts'
import type { Closable } from '../env/async.ts'
import type { Env } from '../env/env.ts'
import type { HttpHandler } from '../env/http.ts'
import { type WatchPlan, watchPlan } from '../features/watch/model.ts'
import { type WatchAnswer, Watching } from '../features/watch/watching.ts'
import type { ProductNames } from '../model/naming/names.ts'
import { runHandler } from './watch-handlers.ts'

/** The client that watches count as, because the number of waiting requests of each client is bounded. */
const client = { host: 'watches', port: 0 } as const
const wait = '5m'

/** The watches of the configuration. They read this agent's own HTTP API, and call their handlers. */
export class ConfiguredWatches implements Closable {
  readonly #env: Env
  readonly #face: HttpHandler
  readonly #names: ProductNames
  #running: readonly Watching[] = []

  constructor(env: Env, names: ProductNames, face: HttpHandler) {
    this.#env = env
    this.#names = names
    this.#face = face
  }

  /** Ends the present watches, and starts these. */
  replace(definitions: readonly WatchDefinition[]): void {
    this.close()
    this.#running = definitions.flatMap((definition) => {
      const plan = watchPlan(definition.subject)
      return plan.ok ? [this.#begin(definition, plan.value)] : []
    })
  }

  close(): void {
    for (const running of this.#running) running.close()
    this.#running = []
  }

  #begin(definition: WatchDefinition, plan: WatchPlan): Watching {
    const { log } = this.#env
    const { datacenter, stale, subject, handler } = definition
    const query = [
      ...plan.query,
      ...(datacenter === undefined ? [] : [['dc', datacenter] as const]),
      ...(stale ? [['stale', ''] as const] : []),
    ]
    return new Watching(this.#env, {
      plan: { ...plan, query },
      wait,
      ask: (asked, onAbort) => this.#ask(definition, plan.path, asked, onAbort),
      failed: (why) => log.write('error', 'agent', 'a watch could not ask', { type: subject.type, why }),
      handle: async (change) => {
        const done = await runHandler(this.#env, this.#names, handler, change)
        if (done.ok) log.write('debug', 'agent', 'watch handler', { type: subject.type, output: done.value })
        else log.write('error', 'agent', 'a watch handler failed', { type: subject.type, why: done.error })
      },
    })
  }

  async #ask(
    { token }: WatchDefinition,
    path: string,
    query: WatchPlan['query'],
    onAbort: (use: () => void) => void,
  ): Promise<Result<WatchAnswer, string>> {
    const parameters = query.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')
    const response = await this.#face({
      method: 'GET',
      target: parameters === '' ? path : `${path}?${parameters}`,
      headers: new Map(token === undefined ? [] : [[`x-${this.#names.naming.name}-token`, token]]),
      body: emptyBytes,
      remote: client,
      onAbort,
    })
    const { body, status, headers } = response
    if (typeof body !== 'string' && !(body instanceof Uint8Array)) return err('the answer has no end')
    const said = (header: string): string | undefined =>
      headers.find(([name]) => name.toLowerCase() === `x-${this.#names.naming.name}-${header}`)?.[1]
    const [index, hash] = [said('index'), said('contenthash')]
    return ok({ status, index, hash, body: typeof body === 'string' ? utf8(body) : body })
  }
}
