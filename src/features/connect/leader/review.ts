import { renewSigner } from '../commands.ts'
import { rootWithinMs } from '../limits.ts'
import { rootFactsOf } from '../provider/facts.ts'
import type { ActiveSigner } from '../provider/open-providers.ts'
import { providedWithin } from '../provider/within.ts'
import type { AuthorityParts } from '../settings.ts'
import { did, failedBy, notReplicated, type Step } from './step.ts'

/** Lets the provider check its state; certificates that it renewed below its root come with leaves from now on. */
export async function reviewStep({ server }: AuthorityParts, signer: ActiveSigner): Promise<Step> {
  const { provider, provided, ownIntermediates, root, kind } = signer
  if (provider.review === undefined) return did
  const known = { ...provided, intermediates: ownIntermediates }
  const review = await providedWithin(server.env, rootWithinMs, provider.review(known))
  if (!review.ok) return failedBy(review.error)
  const { intermediates, problem } = review.value
  if (intermediates.join() !== ownIntermediates.join()) {
    const facts = rootFactsOf(server.env, kind, { ...provided, intermediates })
    if (!facts.ok) return failedBy(facts.error)
    const renewed = await server.propose(renewSigner, { root: facts.value, at: root.modifyIndex })
    if (!renewed.ok) return notReplicated(renewed.error)
    server.env.log.write('info', 'connect', 'the provider has renewed what it has below its root', { root: root.id })
  }
  return problem === undefined ? did : failedBy({ kind: 'unavailable', message: problem })
}
