import type { Ask, Authorizer } from '../../../../src/access/authorizer.ts'
import type { TokenResolver } from '../../../../src/agent/access/running-access.ts'
import { err, ok, type Result } from '../../../../src/base/result.ts'
import type { Failure } from '../../../../src/model/failure.ts'
import { type ModifyIndex, modifyIndexOf } from '../../../../src/model/log-position.ts'

/** An authorizer that allows what a test says. */
export function allowing(accessor: string, allows: (ask: Ask) => boolean): Authorizer {
  return {
    accessor,
    unrestricted: false,
    allows: (resource, name, right) => allows({ resource, name, right }),
    readsAll: (resource) => allows({ resource, name: '', right: 'read' }),
    writesTree: (name) => allows({ resource: 'key', name, right: 'write' }),
    explain: (resource, name, right) => ({
      allowed: allows({ resource, name, right }),
      by: { kind: 'rule', rule: `${resource}_prefix ""`, level: 'deny', policy: `policy of ${accessor}` },
    }),
  }
}

/** Tokens whose rights a test says and changes. Any other is not found. */
export class KnownTokens implements TokenResolver {
  readonly #rights = new Map<string, Result<Authorizer, Failure>>()
  readonly #following = new Set<{ readonly token: string; readonly use: () => void }>()
  /** At which index the rights of a token last changed, where a test says so. */
  readonly changed = new Map<string, number>()
  /** False: what a token may do is to be asked for first. */
  isKeptHere = true
  /** Tokens that were resolved, in order. */
  readonly resolved: string[] = []

  get followed(): number {
    return this.#following.size
  }

  set(token: string, authorizer: Authorizer | Failure): void {
    this.#rights.set(token, 'kind' in authorizer ? err(authorizer) : ok(authorizer))
    for (const each of [...this.#following]) {
      if (each.token !== token) continue
      this.#following.delete(each)
      each.use()
    }
  }

  since(token: string): ModifyIndex {
    return modifyIndexOf(this.changed.get(token) ?? 0)
  }

  now(token: string): Result<Authorizer, Failure> | undefined {
    return this.isKeptHere ? this.#find(token) : undefined
  }

  async resolve(token: string): Promise<Result<Authorizer, Failure>> {
    this.resolved.push(token)
    return this.#find(token)
  }

  onChange(token: string, _authorizer: Authorizer, use: () => void) {
    const each = { token, use }
    this.#following.add(each)
    return { close: () => void this.#following.delete(each) }
  }

  #find(token: string): Result<Authorizer, Failure> {
    return this.#rights.get(token) ?? err({ kind: 'token-not-found' })
  }
}
