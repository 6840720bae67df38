import { utf8 } from '../../base/bytes.ts'
import type { Endpoint } from '../../env/net.ts'
import type { PoolAnswers, PoolQuestion } from '../pool.ts'
import { decodeConflictResponse, internalQuery } from '../wire/internal-queries.ts'

/**
 * The agent that the pool considers the holder of our name, if that is another agent (serf `resolveNodeConflict`). Two agents of
 * one name would conflict for ever: each hears of the other, and neither knows which came first. So all members are asked:
 * 1. Only answers that name a living holder count; where the holder is dead, the name is free.
 * 2. We keep the name if at least half of these answers name us.
 * 3. Otherwise the other holder is asked itself. If it does not answer to the name, it is dead and the pool does not know yet, as
 *    after a restart under another address: then the name will be ours.
 */
export async function nameHolder(
  own: { readonly name: string; readonly at: Endpoint },
  ask: (question: PoolQuestion) => Promise<PoolAnswers>,
  answersTo: (at: Endpoint, name: string) => Promise<boolean>,
): Promise<Endpoint | undefined> {
  const { answers } = await ask({ name: internalQuery.conflict, payload: utf8(own.name) })
  let ours = 0
  const others: Endpoint[] = []
  for (const { payload } of answers) {
    const at = decodeConflictResponse(payload)
    if (at === undefined) continue
    if (at.host === own.at.host && at.port === own.at.port) ours++
    else others.push(at)
  }
  const [holder] = others
  if (holder === undefined || ours >= others.length) return undefined
  return (await answersTo(holder, own.name)) ? holder : undefined
}
