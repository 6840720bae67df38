import type { Authorizer } from '../../access/authorizer.ts'
import type { Env } from '../../env/env.ts'
import { seesNode, seesService } from '../../features/discovery/sight.ts'
import type { RegistrantRights } from '../access/running-access.ts'
import { isRefusal } from './own-refusals.ts'

interface Seen {
  readonly node: string
  /** Empty for a check of the node. */
  readonly serviceName: string
}

/** Whether the check may be read. */
export type Sight = (check: Seen) => boolean

const everything: Sight = () => true
const nothing: Sight = () => false

/** Pause before rights are asked for again that could not be resolved, as while no server is in reach. */
const retryMs = 15_000

/**
 * What the token that registered an alias check may read. Evaluating an alias never waits for rights: until they are
 * known all other checks are hidden, and `again` is called once they are known and differ.
 */
export class AliasSight {
  readonly #env: Env
  readonly #rights: RegistrantRights | undefined
  readonly #token: string
  readonly #again: () => void
  #authorizer: Authorizer | undefined
  #asking = false

  /** `rights` is undefined where access control is off. */
  constructor(env: Env, rights: RegistrantRights | undefined, token: string, again: () => void) {
    this.#env = env
    this.#rights = rights
    this.#token = token
    this.#again = again
  }

  now(): Sight {
    if (this.#rights === undefined) return everything
    const found = this.#rights.now(this.#token)
    if (found !== undefined) this.#authorizer = found.ok ? found.value : undefined
    else if (!this.#asking) this.#env.detach(this.#ask(this.#rights))
    return this.#authorizer === undefined ? nothing : sightOf(this.#authorizer)
  }

  async #ask(rights: RegistrantRights): Promise<void> {
    this.#asking = true
    const found = await rights.resolve(this.#token)
    if (!found.ok && !isRefusal(found.error)) {
      this.#env.timers.after(retryMs, () => {
        this.#asking = false
        this.#again()
      })
      return
    }
    this.#asking = false
    const authorizer = found.ok ? found.value : undefined
    if (authorizer === this.#authorizer) return
    this.#authorizer = authorizer
    this.#again()
  }
}

export function sightOf(authorizer: Authorizer): Sight {
  return ({ node, serviceName }) =>
    serviceName === '' ? seesNode(authorizer, node) : seesService(authorizer, serviceName)
}
