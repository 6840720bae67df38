import { ok } from '../../../base/result.ts'
import { policyBatchEndpoint, policyListEndpoint } from '../tokens/policy-endpoints.ts'
import { allPolicies } from '../views.ts'
import { replicatedAtOnce, replicatePolicies } from './replication-commands.ts'
import { askNewPrimary, compared, inBatches, type Round, type RoundDone } from './replication-round.ts'

/** Makes this datacenter's policies equal to the primary's. */
export async function policiesRound(round: Round): Promise<RoundDone> {
  const { server } = round
  const theirs = await askNewPrimary(round, policyListEndpoint, {}, round.after)
  if (!theirs.ok || round.over()) return theirs.ok ? ok(0) : theirs
  const { changed, gone } = compared(theirs.value.found, [...allPolicies(server.read())])
  for (const remove of inBatches(gone, replicatedAtOnce)) {
    const removed = await server.propose(replicatePolicies, { put: [], remove })
    if (!removed.ok || round.over()) return removed.ok ? ok(0) : removed
  }
  for (const ids of inBatches(changed, replicatedAtOnce)) {
    const whole = await askNewPrimary(round, policyBatchEndpoint, { ids }, 0)
    if (!whole.ok || round.over()) return whole.ok ? ok(0) : whole
    const put = whole.value.found.map(({ hash: _, createIndex: __, modifyIndex: ___, ...policy }) => policy)
    const done = await server.propose(replicatePolicies, { put, remove: [] })
    if (!done.ok || round.over()) return done.ok ? ok(0) : done
  }
  return ok(theirs.value.index)
}
