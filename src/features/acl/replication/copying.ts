import { ok, type Result } from '../../../base/result.ts'
import type { Failure } from '../../../model/failure.ts'
import { type ModifyIndex, noChange } from '../../../model/log-position.ts'
import { legacyDelete, legacySet } from '../legacy/legacy-commands.ts'
import type { PolicyLink, TokenRow } from '../model.ts'
import { policyBatchEndpoint } from '../tokens/policy-endpoints.ts'
import { tokenBatchEndpoint } from '../tokens/token-endpoints.ts'
import { allPolicies, allTokens, policyById, tokenByAccessor, unmigratedTokens } from '../views.ts'
import { askNewPrimary, type Round } from './asking-primary.ts'
import { compared, inBatches, inParts, policyLikeness, tokenLikeness } from './comparing.ts'
import { listedLegacy, listedPolicies, listedTokens } from './lists.ts'
import { replicatedAtOnce, replicatePolicies, replicateTokens } from './replication-commands.ts'

/** Index of the primary up to which everything is replicated now. */
export type RoundDone = Result<ModifyIndex, Failure>

/** Makes this datacenter's policies equal to the primary's. */
export async function policiesRound(round: Round): Promise<RoundDone> {
  const { server } = round
  const theirs = await listedPolicies(round, round.after)
  if (!theirs.ok || round.over()) return theirs.ok ? ok(noChange) : theirs
  const { changed, gone } = compared(theirs.value.found.entries, [...allPolicies(server.read())], policyLikeness)
  for (const remove of inBatches(gone, replicatedAtOnce)) {
    const removed = await server.propose(replicatePolicies, { put: [], remove })
    if (!removed.ok || round.over()) return removed.ok ? ok(noChange) : removed
  }
  const stopped = await inParts(round, changed, replicatedAtOnce, async (ids) => {
    const whole = await askNewPrimary(round, policyBatchEndpoint, { ids }, noChange)
    if (!whole.ok || round.over()) return whole
    const put = whole.value.found.map(({ hash: _, createIndex: __, modifyIndex: ___, ...policy }) => policy)
    return server.propose(replicatePolicies, { put, remove: [] })
  })
  return stopped ?? ok(theirs.value.index)
}

/**
 * Makes this datacenter's global tokens equal to the primary's. Legacy tokens are replicated once they have accessors
 * there; until the last of them has one, copies here without accessors stay.
 */
export async function tokensRound(round: Round): Promise<RoundDone> {
  const { server } = round
  const list = await listedTokens(round, round.after)
  if (!list.ok || round.over()) return list.ok ? ok(noChange) : list
  const { entries: theirs, hasUnnamed } = list.value.found
  const ours = [...allTokens(server.read())].filter(({ local, accessor }) => !local && accessor !== '')
  const { changed, gone } = compared(theirs, ours, tokenLikeness)
  for (const remove of inBatches(gone, replicatedAtOnce)) {
    const removed = await server.propose(replicateTokens, { put: [], remove, removeUnmigrated: 0 })
    if (!removed.ok || round.over()) return removed.ok ? ok(noChange) : removed
  }
  const early = await earlyTokens(round, theirs)
  if (!early.ok || round.over()) return early.ok ? ok(noChange) : early
  const now = changed.filter((accessor) => !early.value.has(accessor))
  const listed = new Map(theirs.map((token) => [token.accessor, token.policies]))
  const stopped = await inParts(round, now, replicatedAtOnce, async (accessors) => {
    const whole = await askNewPrimary(round, tokenBatchEndpoint, { accessors }, noChange)
    if (!whole.ok || round.over()) return whole
    const found = whole.value.found.filter((token) => !isGivenMore(round, token, listed.get(token.accessor)))
    const put = found.map(({ hash: _, createIndex: __, modifyIndex: ___, ...token }) => token)
    return server.propose(replicateTokens, { put, remove: [], removeUnmigrated: 0 })
  })
  if (stopped !== undefined) return stopped
  if (early.value.size > 0) return ok(round.after)
  const dropped = hasUnnamed ? undefined : await dropUnmigrated(round)
  return dropped ?? ok(list.value.index)
}

/**
 * New tokens with a policy that the primary datacenter has, and this one not yet. A copy would have other rights than
 * the token. Without a copy, servers here ask the primary datacenter, so the token waits for its policies.
 */
async function earlyTokens(round: Round, theirs: readonly TokenRow[]): Promise<Result<ReadonlySet<string>, Failure>> {
  const tx = round.server.read()
  const lacks = ({ id }: PolicyLink): boolean => policyById(tx, id) === undefined
  const open = theirs.filter(({ accessor, policies }) => policies.some(lacks) && !tokenByAccessor(tx, accessor))
  if (open.length === 0) return ok(new Set())
  const list = await listedPolicies(round, noChange)
  if (!list.ok) return list
  const there = new Set(list.value.found.entries.map(({ id }) => id))
  const isEarly = ({ policies }: TokenRow): boolean => policies.some((link) => lacks(link) && there.has(link.id))
  return ok(new Set(open.filter(isEarly).map(({ accessor }) => accessor)))
}

/**
 * Whether a new token was given a policy since it was listed that this datacenter does not have yet: the next round,
 * which that change begins, looks for it.
 */
function isGivenMore({ server }: Round, token: TokenRow, listed: readonly PolicyLink[] = []): boolean {
  const tx = server.read()
  const isMore = ({ id }: PolicyLink): boolean =>
    policyById(tx, id) === undefined && !listed.some((link) => link.id === id)
  return token.policies.some(isMore) && tokenByAccessor(tx, token.accessor) === undefined
}

/** Removes copies without accessors, which the primary no longer has. Undefined: there are none. */
async function dropUnmigrated({ server, over }: Round): Promise<RoundDone | undefined> {
  while (unmigratedTokens(server.read())[Symbol.iterator]().next().done !== true) {
    const body = { put: [], remove: [], removeUnmigrated: replicatedAtOnce }
    const done = await server.propose(replicateTokens, body)
    if (!done.ok || over()) return done.ok ? ok(noChange) : done
  }
  return undefined
}

/**
 * Makes this datacenter's legacy tokens equal to the primary's, one by one: servers of all releases know these
 * commands.
 */
export async function legacyRound(round: Round): Promise<RoundDone> {
  const { server } = round
  const list = await listedLegacy(round, round.after)
  if (!list.ok || round.over()) return list.ok ? ok(noChange) : list
  const theirs = new Map(list.value.found.entries.map((token) => [token.secret, token]))
  const ours = new Map([...allTokens(server.read())].map((token) => [token.secret, token]))
  for (const id of ours.keys()) {
    if (theirs.has(id)) continue
    const gone = await server.propose(legacyDelete, { id })
    if (!gone.ok || round.over()) return gone.ok ? ok(noChange) : gone
  }
  for (const token of theirs.values()) {
    if (isSame(token, ours.get(token.secret)) || token.type === '') continue
    const { secret: id, description: name, type, rules } = token
    const set = await server.propose(legacySet, { id, name, type, rules, unlessThere: false })
    if (!set.ok || round.over()) return set.ok ? ok(noChange) : set
  }
  return ok(list.value.index)
}

function isSame(token: TokenRow, own: TokenRow | undefined): boolean {
  return own?.description === token.description && own.type === token.type && own.rules === token.rules
}
