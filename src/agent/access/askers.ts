import { type Authorizer, unrestricted } from '../../access/authorizer.ts'
import { err, ok, type Result } from '../../base/result.ts'
import type { QueryEndpoint } from '../../features/contract/endpoint.ts'
import type { Failure } from '../../model/failure.ts'
import type { ReadTransaction } from '../../store/types.ts'
import type { Gate } from './gate.ts'

/** The caller: its token, and what that token may do. */
export interface Asker {
  readonly authorizer: Authorizer
  readonly token: string
}

/** The caller of a read, and the token whose rights decide what it sees: mostly the same. */
export interface Reader extends Asker {
  /** The reader whose rights count in place of the caller's. */
  readonly behalf?: Asker
}

/** The caller of a server's read, and the token it reads for. Without a gate access control is off. */
export class Askers {
  readonly #gate: Gate | undefined
  readonly #state: ReadTransaction

  /** `state` is read as of each question. */
  constructor(gate: Gate | undefined, state: ReadTransaction) {
    this.#gate = gate
    this.#state = state
  }

  /** Resolves the reader if that is possible in this turn. */
  now(endpoint: QueryEndpoint, args: unknown, token: string): Result<Reader, Failure> | undefined {
    if (this.#gate === undefined) return ok({ authorizer: unrestricted, token })
    const entered = this.#gate.now(endpoint, token)
    if (entered === undefined || !entered.ok) return entered
    const secret = this.#behalf(endpoint, args)
    const other = secret === '' ? entered : this.#gate.now(endpoint, secret)
    return other?.ok === true ? ok(readerOf(entered.value, token, secret, other.value)) : other
  }

  async enter(endpoint: QueryEndpoint, args: unknown, token: string): Promise<Result<Reader, Failure>> {
    const now = this.now(endpoint, args, token)
    if (now !== undefined || this.#gate === undefined) return now ?? ok({ authorizer: unrestricted, token })
    const entered = await this.#gate.enter(endpoint, token)
    if (!entered.ok) return entered
    const secret = this.#behalf(endpoint, args)
    const other = secret === '' ? entered : await this.#gate.enter(endpoint, secret)
    return other.ok ? ok(readerOf(entered.value, token, secret, other.value)) : other
  }

  /**
   * Whose rights count for an answer made in this turn. Undefined: the rights changed since the reader entered, so it
   * must enter anew.
   */
  admitted(endpoint: QueryEndpoint, args: unknown, reader: Reader): Result<Asker, Failure> | undefined {
    if (this.#gate === undefined) return ok(reader)
    const refusal = this.#gate.refusal(endpoint, reader.authorizer, args, this.#state)
    if (refusal !== undefined) return err(refusal)
    if (this.#behalf(endpoint, args) !== (reader.behalf?.token ?? '')) return undefined
    return ok(reader.behalf ?? reader)
  }

  /** The secret of another token whose rights count; empty if the caller's own rights count. */
  #behalf({ access }: QueryEndpoint, args: unknown): string {
    return access.kind === 'filters' ? (access.onBehalfOf?.(args, this.#state) ?? '') : ''
  }
}

function readerOf(authorizer: Authorizer, token: string, secret: string, other: Authorizer): Reader {
  return secret === '' ? { authorizer, token } : { authorizer, token, behalf: { authorizer: other, token: secret } }
}
