import type { Ask, Authorizer } from '../../access/authorizer.ts'
import type { Env } from '../../env/env.ts'
import { type Failure, failureText } from '../../model/failure.ts'
import type { RegistrantRights } from './alias-sight.ts'

/** Number of things whose last report is remembered; beyond it the oldest is forgotten, and reported again. */
const toldMax = 16_384

/** What the agent wants of the servers by itself. */
export interface OwnCall {
  /** Names the thing for as long as it is there: `service web`. */
  readonly thing: string
  /** For the log, behind `Failed to`: `sync service "web"`. */
  readonly doing: string
  /** The secret of the token that it goes by; empty: the one that stands in for none. */
  readonly token: string
  /** The rights that it takes, as far as this agent can tell. */
  readonly asks: readonly Ask[]
}

/**
 * Tells the operator why servers refuse what the agent does of its own accord: the thing, the accessor of its token and the
 * rule that this lacks, never a secret. One line for each thing, and another once the reason is another, or the thing was
 * taken in between: an agent tries again for ever.
 */
export class OwnRefusals {
  readonly #env: Env
  /** Undefined: access control is off here, and servers that refuse are not explained. */
  readonly #rights: RegistrantRights | undefined
  /** By thing, the line that was written last. */
  readonly #told = new Map<string, string>()

  constructor(env: Env, rights: RegistrantRights | undefined) {
    this.#env = env
    this.#rights = rights
  }

  /** Settles when it has been reported. */
  async refused(call: OwnCall, failure: Failure): Promise<void> {
    const why = await this.#why(call, failure)
    const line = `Failed to ${call.doing}: ${why}`
    if (this.#told.get(call.thing) === line) return
    for (const oldest of this.#told.keys()) {
      if (this.#told.size < toldMax) break
      this.#told.delete(oldest)
    }
    this.#told.set(call.thing, line)
    this.#env.log.write('warn', 'agent', line)
  }

  /** It was done. */
  done(thing: string): void {
    this.#told.delete(thing)
  }

  async #why({ token, asks }: OwnCall, failure: Failure): Promise<string> {
    const found = this.#rights && (this.#rights.now(token) ?? (await this.#rights.resolve(token)))
    if (found === undefined) return failureText(failure)
    if (!found.ok) return `the token that it goes by is unknown to the servers (${failureText(found.error)})`
    const lacked = asks.find(({ resource, name, right }) => !found.value.allows(resource, name, right))
    const whose = token === '' ? 'the anonymous token, as no other is set,' : nameOf(found.value)
    if (lacked === undefined)
      return `${failureText(failure)}, though ${whose} has the rights for it by what this agent knows`
    const { resource, name, right } = lacked
    return `${whose} lacks ${resource}:${right} on ${JSON.stringify(name)}`
  }
}

function nameOf({ accessor }: Authorizer): string {
  return accessor === '' ? 'its token, which has no accessor yet,' : `token ${accessor}`
}

/** The token may not have what was asked for, or is none. */
export function isRefusal({ kind }: Failure): boolean {
  return kind === 'permission-denied' || kind === 'token-not-found'
}
