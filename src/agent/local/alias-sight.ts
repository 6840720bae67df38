import type { Authorizer } from '../../access/authorizer.ts'
import type { Result } from '../../base/result.ts'
import type { Env } from '../../env/env.ts'
import { seesNode, seesService } from '../../features/discovery/sight.ts'
import type { Failure } from '../../model/failure.ts'

/** How the agent learns what the tokens may do with which checks were registered. */
export interface RegistrantRights {
  /** In this turn; undefined: only `resolve` can tell. Empty: the token that stands in for none. */
  now(token: string): Result<Authorizer, Failure> | undefined
  resolve(token: string): Promise<Result<Authorizer, Failure>>
}

interface Seen {
  readonly node: string
  /** Empty where it is of the node. */
  readonly serviceName: string
}

/** Whether a check may be read. */
export type Sight = (check: Seen) => boolean

const everything: Sight = () => true
const nothing: Sight = () => false

/**
 * What the token with which an alias check was registered may read. The status of a check does not wait for it: until the
 * rights of the token are known nothing is seen, and `again` is called once they are, and are others than before.
 */
export class AliasSight {
  readonly #env: Env
  readonly #rights: RegistrantRights | undefined
  readonly #token: string
  readonly #again: () => void
  #authorizer: Authorizer | undefined
  #asking = false

  /** `rights`: undefined where access control is off. */
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
