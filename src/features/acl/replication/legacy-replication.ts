import { ok } from '../../../base/result.ts'
import { legacyDelete, legacySet } from '../legacy/legacy-commands.ts'
import { legacyListEndpoint } from '../legacy/legacy-endpoints.ts'
import type { TokenRow } from '../model.ts'
import { allTokens } from '../views.ts'
import { askPrimary, type Round, type RoundDone } from './replication-round.ts'

/**
 * Makes this datacenter's legacy tokens equal to the primary's, one by one: servers of all releases know these
 * commands.
 */
export async function legacyRound(round: Round): Promise<RoundDone> {
  const { server } = round
  const list = await askPrimary(round, legacyListEndpoint, {}, round.after)
  if (!list.ok || round.over()) return list.ok ? ok(0) : list
  const theirs = new Map(list.value.value.map((token) => [token.secret, token]))
  const ours = new Map([...allTokens(server.read())].map((token) => [token.secret, token]))
  for (const id of ours.keys()) {
    if (theirs.has(id)) continue
    const gone = await server.propose(legacyDelete, { id })
    if (!gone.ok || round.over()) return gone.ok ? ok(0) : gone
  }
  for (const token of theirs.values()) {
    if (isSame(token, ours.get(token.secret)) || token.type === '') continue
    const { secret: id, description: name, type, rules } = token
    const set = await server.propose(legacySet, { id, name, type, rules, unlessThere: false })
    if (!set.ok || round.over()) return set.ok ? ok(0) : set
  }
  return ok(list.value.meta.index)
}

function isSame(token: TokenRow, own: TokenRow | undefined): boolean {
  return own?.description === token.description && own.type === token.type && own.rules === token.rules
}
