import type { Ask, Authorizer } from '../../access/authorizer.ts'
import type { Env } from '../../env/env.ts'
import { type Failure, failureText } from '../../model/failure.ts'
import type { RegistrantRights } from '../access/running-access.ts'

/** Number of things whose last report is remembered; beyond it the oldest is forgotten, and reported again. */
const toldMax = 16_384

/** A request that the agent sends to servers without a client's request. */
export interface OwnCall {
  /** Names the thing for as long as it exists: `service web`. */
  readonly thing: string
  /** For the log, behind `Failed to`: `sync service "web"`. */
  readonly doing: string
  /** The secret of its token; empty: the default token. */
  readonly token: string
  /** The rights that the request needs, as far as this agent can tell. */
  readonly asks: readonly Ask[]
  /** Counts a refusal, behind `acl.blocked.`; absent: the field counts none. */
  readonly blocked?: BlockedWrite
}

/** Reference: telemetry.md#metric-acl-blocked-check-node-service. */
type BlockedWrite = `${'check' | 'node' | 'service'}.registration` | `${'check' | 'service'}.deregistration`

/**
 * Tells the operator why servers refuse a request that the agent sends without a client's request: the thing, the
 * accessor of its token and the rule that the token lacks, never a secret. The agent retries for ever, so each thing is
 * reported once, and again if the reason changes or the thing was accepted in between.
 */
export class OwnRefusals {
  readonly #env: Env
  /** Undefined: access control is off on this agent, and refusals by servers are not explained. */
  readonly #rights: RegistrantRights | undefined
  /** The last line that was logged for each thing. */
  readonly #told = new Map<string, string>()

  constructor(env: Env, rights: RegistrantRights | undefined) {
    this.#env = env
    this.#rights = rights
  }

  /** Settles when the refusal has been reported. */
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

  /** The request succeeded. */
  done(thing: string): void {
    this.#told.delete(thing)
  }

  async #why({ token, asks }: OwnCall, failure: Failure): Promise<string> {
    const found = this.#rights && (this.#rights.now(token) ?? (await this.#rights.resolve(token)))
    if (found === undefined) return failureText(failure)
    if (!found.ok) return `its token is unknown to the servers (${failureText(found.error)})`
    const lacked = asks.find(({ resource, name, right }) => !found.value.allows(resource, name, right))
    const whose = token === '' ? 'the anonymous token, as no other is set,' : nameOf(found.value)
    if (lacked === undefined)
      return `${failureText(failure)}, although, as far as this agent knows, ${whose} has the rights for it`
    const { resource, name, right } = lacked
    return `${whose} lacks ${resource}:${right} on ${JSON.stringify(name)}`
  }
}

function nameOf({ accessor }: Authorizer): string {
  return accessor === '' ? 'its token, which has no accessor yet,' : `token ${accessor}`
}

/** Whether the token lacks the right, or does not exist. */
export function isRefusal({ kind }: Failure): boolean {
  return kind === 'permission-denied' || kind === 'token-not-found'
}
