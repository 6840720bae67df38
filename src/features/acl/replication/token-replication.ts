import { ok } from '../../../base/result.ts'
import { tokenBatchEndpoint, tokenListEndpoint } from '../tokens/token-endpoints.ts'
import { allTokens, unmigratedTokens } from '../views.ts'
import { replicatedAtOnce, replicateTokens } from './replication-commands.ts'
import { askNewPrimary, compared, inBatches, type Round, type RoundDone } from './replication-round.ts'

/**
 * Makes this datacenter's global tokens equal to the primary's. Legacy tokens are replicated once they have accessors
 * there; until the last of them has one, copies here without accessors stay.
 */
export async function tokensRound(round: Round): Promise<RoundDone> {
  const { server } = round
  const list = await askNewPrimary(round, tokenListEndpoint, { policy: '' }, round.after)
  if (!list.ok || round.over()) return list.ok ? ok(0) : list
  const global = list.value.found.filter(({ local }) => !local)
  const theirs = global.filter(({ accessor }) => accessor !== '').map(({ accessor: id, hash }) => ({ id, hash }))
  const ours = [...allTokens(server.read())].filter(({ local, accessor }) => !local && accessor !== '')
  const own = ours.map(({ accessor: id, hash }) => ({ id, hash }))
  const { changed, gone } = compared(theirs, own)
  for (const remove of inBatches(gone, replicatedAtOnce)) {
    const removed = await server.propose(replicateTokens, { put: [], remove, removeUnmigrated: 0 })
    if (!removed.ok || round.over()) return removed.ok ? ok(0) : removed
  }
  for (const accessors of inBatches(changed, replicatedAtOnce)) {
    const whole = await askNewPrimary(round, tokenBatchEndpoint, { accessors }, 0)
    if (!whole.ok || round.over()) return whole.ok ? ok(0) : whole
    const put = whole.value.found.map(({ hash: _, createIndex: __, modifyIndex: ___, ...token }) => token)
    const done = await server.propose(replicateTokens, { put, remove: [], removeUnmigrated: 0 })
    if (!done.ok || round.over()) return done.ok ? ok(0) : done
  }
  const dropped = theirs.length === global.length ? await dropUnmigrated(round) : undefined
  return dropped ?? ok(list.value.index)
}

/** Removes copies without accessors, which the primary no longer has. Undefined: there are none. */
async function dropUnmigrated({ server, over }: Round): Promise<RoundDone | undefined> {
  while (unmigratedTokens(server.read())[Symbol.iterator]().next().done !== true) {
    const body = { put: [], remove: [], removeUnmigrated: replicatedAtOnce }
    const done = await server.propose(replicateTokens, body)
    if (!done.ok || over()) return done.ok ? ok(0) : done
  }
  return undefined
}
