import { utf8 } from '../../base/bytes.ts'
import type { Endpoint } from '../../env/net.ts'
import type { PoolAnswers, PoolQuestion } from '../pool.ts'
import { decodeConflictResponse, internalQuery } from '../wire/internal-queries.ts'

/**
 * Whom the pool takes for the holder of our name, where that is not us (serf `resolveNodeConflict`). Two agents of one name
 * fight for ever: each is told of the other, and neither knows who came first. So everybody is asked:
 * 1. Only those count who know somebody of that name to be alive; where a holder is dead, the name is free.
 * 2. We keep it if at least half of them hold it to be ours.
 * 3. Otherwise the holder is asked itself. One that does not answer to the name is dead without the pool's knowing yet, as
 *    after a restart under another address: its name will be ours.
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
