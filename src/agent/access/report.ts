import type { Authorizer } from '../../access/authorizer.ts'
import { reportOnly } from '../../access/rehearsal.ts'
import { Tally } from '../../access/tally.ts'
import type { Closable } from '../../env/async.ts'
import type { Env } from '../../env/env.ts'

/** What would have been refused is written down this long after the first of it. */
const writtenAfterMs = 10_000

/** Where `acl.report_only` is on: what would be refused is let through, counted, and told in the log from time to time. */
export class RefusalReport {
  readonly #env: Env
  readonly #tally = new Tally()
  #timer: Closable | undefined

  constructor(env: Env) {
    this.#env = env
  }

  stop(): void {
    this.#timer?.close()
    this.#write()
  }

  /** Tokens and policies themselves stay closed: who could make a token could make one for later. */
  dress(authorizer: Authorizer): Authorizer {
    const reporting = reportOnly(authorizer, (refusal) => {
      this.#env.metrics.count('acl.would-deny')
      this.#tally.refused(refusal)
      this.#timer ??= this.#env.timers.after(writtenAfterMs, () => this.#write())
    })
    return {
      accessor: reporting.accessor,
      get unrestricted() {
        return reporting.unrestricted
      },
      allows: (resource, name, right) => (resource === 'acl' ? authorizer : reporting).allows(resource, name, right),
      readsAll: (resource) => reporting.readsAll(resource),
      writesTree: (prefix) => reporting.writesTree(prefix),
      explain: (resource, name, right) => (resource === 'acl' ? authorizer : reporting).explain(resource, name, right),
    }
  }

  #write(): void {
    this.#timer = undefined
    const { counts, others } = this.#tally.take()
    const { log } = this.#env
    for (const { accessor, resource, right, name, why, times } of counts) {
      log.write('info', 'acl', 'would be refused', { accessor, resource, right, name, why, times })
    }
    if (others > 0) log.write('info', 'acl', 'would be refused, with no room to say what', { times: others })
  }
}
