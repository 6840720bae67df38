import type { AccessState, TokenState } from './access-facts.ts'

/** One version of a value, valid from when the first server had it until the first server had the next. */
export interface Version<T> {
  /** Undefined: it did not exist. */
  readonly value: T | undefined
  readonly fromUs: number
  /** The event that created it, in the trace; 0: the trace is not recorded. */
  readonly event: number
}

/** When a change happened, and its event in the trace. */
interface Moment {
  readonly atUs: number
  readonly event: number
}

/** The tokens and policies of one datacenter's replicated state, with all their versions. */
export class AccessVersions {
  /** By secret. */
  readonly tokens = new Map<string, Version<TokenState>[]>()
  /** Rules, by ID. */
  readonly policies = new Map<string, Version<string>[]>()

  changed({ atUs, tokens, policies }: AccessState, event: number): void {
    follow(this.tokens, tokens, { atUs, event }, sameToken)
    follow(this.policies, policies, { atUs, event }, (before, now) => before === now)
  }

  /** Adds a version of one token. */
  tokenWritten(atUs: number, secret: string, token: TokenState, event: number): void {
    add(this.tokens, secret, token, { atUs, event }, sameToken)
  }

  /** The events of the last changes of a token and of its policies. */
  eventsOf(secret: string): readonly number[] {
    const [before, last] = [this.tokens.get(secret)?.at(-2), this.tokens.get(secret)?.at(-1)]
    const { policies = [] } = last?.value ?? before?.value ?? {}
    const changes = [last, before, ...policies.map((id) => this.policies.get(id)?.at(-1))]
    return changes.map((change) => change?.event ?? 0)
  }
}

/** Adds a version of everything that was changed, created or removed. */
function follow<T>(
  versions: Map<string, Version<T>[]>,
  now: ReadonlyMap<string, T>,
  at: Moment,
  isSame: (before: T, now: T) => boolean,
): void {
  for (const [name, value] of now) add(versions, name, value, at, isSame)
  for (const [name, known] of versions) {
    if (!now.has(name) && known.at(-1)?.value !== undefined)
      known.push({ value: undefined, fromUs: at.atUs, event: at.event })
  }
}

function add<T>(
  versions: Map<string, Version<T>[]>,
  name: string,
  value: T,
  { atUs, event }: Moment,
  isSame: (before: T, now: T) => boolean,
): void {
  const known = versions.get(name)
  const last = known?.at(-1)?.value
  if (known === undefined) versions.set(name, [{ value, fromUs: atUs, event }])
  else if (last === undefined || !isSame(last, value)) known.push({ value, fromUs: atUs, event })
}

/** The versions that a reader may have seen in this span; before the first version, the value did not exist. */
export function within<T>(
  versions: readonly Version<T>[] = [],
  fromUs: number,
  toUs: number,
): readonly (T | undefined)[] {
  const seen = versions.filter(
    (version, at) => version.fromUs <= toUs && (versions[at + 1]?.fromUs ?? Number.POSITIVE_INFINITY) >= fromUs,
  )
  const wasThere = versions[0] !== undefined && versions[0].fromUs <= fromUs
  return wasThere ? seen.map(({ value }) => value) : [undefined, ...seen.map(({ value }) => value)]
}

function sameToken(before: TokenState, now: TokenState): boolean {
  return before.accessor === now.accessor && sameRules(before, now)
}

/**
 * Whether both tokens have the same rules. The accessor is ignored: a legacy token has none until it is migrated, and
 * then gets a link that allows the same as before.
 */
export function sameRules(one: TokenState, other: TokenState): boolean {
  if (one.management || other.management) return one.management === other.management
  return (
    one.legacyRules === other.legacyRules &&
    one.policies.length === other.policies.length &&
    one.policies.every((id, at) => id === other.policies[at])
  )
}

/** Names a token by its accessor, never by its secret. */
export function tokenName(token: TokenState | undefined): string {
  return token === undefined || token.accessor === '' ? 'a token without accessor' : `token ${token.accessor}`
}
