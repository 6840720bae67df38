import { copiedAccess } from '../../checkers/access/copied-access.ts'
import type { RunContext } from '../run-context.ts'

const lookEveryMs = 250

/**
 * A5, at rest: the copies of tokens and policies in secondary datacenters come to be what the primary one has. The
 * checker itself reports those that are late, so that this ends.
 */
export async function copiesAgree(run: RunContext): Promise<void> {
  for (const part of run.parts()) {
    const copies = part.invariants.of(copiedAccess)
    while (!run.hasFailed() && copies.lacks !== undefined) await run.pass(lookEveryMs)
  }
}
