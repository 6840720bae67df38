import { utcText } from '../../src/base/utc-text.ts'
import type { Clock } from '../../src/env/clock.ts'
import type { Members } from './answers.ts'
import { durationText, systemLeaseSeconds } from './request-body.ts'

/** A token as created. */
export interface TokenGrant {
  readonly id: string
  /** Seconds; 0: it does not expire. */
  readonly ttl: number
  readonly renewable: boolean
  /** Seconds to which every renewal resets it. */
  readonly period?: number
  /** Maximum lifetime in seconds. */
  readonly explicitMaxTtl?: number
  /** Its rights besides looking itself up: everything, or everything in mounts whose paths begin with one of these. */
  readonly mounts: 'all' | readonly string[]
  /** Without it, neither `sign-self-issued` nor deleting a root is allowed. */
  readonly sudo: boolean
}

interface Token {
  readonly grant: TokenGrant
  readonly madeMs: number
  endsMs: number
}

export type Renewal = { readonly seconds: number; readonly warnings: readonly string[] } | 'not-renewable'

/** The tokens that the secrets manager accepts. */
export class Tokens {
  readonly #clock: Clock
  readonly #byId = new Map<string, Token>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  add(grant: TokenGrant): void {
    const madeMs = this.#clock.wallMs()
    const endsMs = grant.ttl === 0 ? Number.POSITIVE_INFINITY : madeMs + grant.ttl * 1000
    this.#byId.set(grant.id, { grant, madeMs, endsMs })
  }

  revoke(id: string): void {
    this.#byId.delete(id)
  }

  /** Undefined: unknown, expired or revoked, which look the same from outside. */
  find(id: string): TokenGrant | undefined {
    return this.#live(id)?.grant
  }

  lookUp(id: string): Members {
    const token = this.#live(id)
    if (token === undefined) return {}
    const { grant, madeMs, endsMs } = token
    const ends = endsMs === Number.POSITIVE_INFINITY
    return {
      accessor: `accessor-${grant.id.length}`,
      creation_time: Math.floor(madeMs / 1000),
      creation_ttl: grant.ttl,
      display_name: 'token',
      entity_id: '',
      expire_time: ends ? null : utcText(endsMs),
      explicit_max_ttl: grant.explicitMaxTtl ?? 0,
      id,
      issue_time: utcText(madeMs),
      meta: null,
      num_uses: 0,
      orphan: true,
      path: 'auth/token/create',
      ...(grant.period === undefined ? {} : { period: grant.period }),
      policies: grant.mounts === 'all' ? ['root'] : ['default', 'svc-ca'],
      renewable: grant.renewable,
      ttl: ends ? 0 : Math.floor((endsMs - this.#clock.wallMs()) / 1000),
      type: 'service',
    }
  }

  /** `increment` 0: for its original duration. */
  renew(id: string, increment: number): Renewal {
    const token = this.#live(id)
    if (token === undefined || !token.grant.renewable) return 'not-renewable'
    const { grant, madeMs } = token
    const nowMs = this.#clock.wallMs()
    const asked = grant.period ?? (increment === 0 ? grant.ttl : increment)
    const max = grant.explicitMaxTtl ?? systemLeaseSeconds
    const left = Math.max(0, Math.ceil((madeMs + max * 1000 - nowMs) / 1000))
    const seconds = grant.period === undefined ? Math.min(asked, left) : grant.period
    token.endsMs = nowMs + seconds * 1000
    const text = `TTL of "${durationText(asked)}" exceeded the effective max_ttl of "${durationText(left)}"; TTL value is capped accordingly`
    return { seconds, warnings: seconds < asked ? [text] : [] }
  }

  #live(id: string): Token | undefined {
    const token = this.#byId.get(id)
    return token === undefined || token.endsMs <= this.#clock.wallMs() ? undefined : token
  }
}
