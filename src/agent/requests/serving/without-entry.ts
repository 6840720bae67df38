import { ok, type Result } from '../../../base/result.ts'
import type { CommandDefinition, WriteIdentity } from '../../../features/contract/command.ts'
import type { ServerContext } from '../../../features/contract/server-context.ts'
import type { Failure } from '../../../model/failure.ts'
import type { ReplicatedState } from '../../replication/state-machine.ts'

/**
 * Answers a write that changes nothing without an entry in the log; undefined: it must be proposed. Otherwise callers
 * without rights, or with invented IDs, could fill the log. Why the answer is the one that the log would have given:
 * 1. This server leads, and no other server has led until now: everything that was committed before is in its state,
 *    and an earlier attempt of this write that is not in its log will never be committed.
 * 2. An earlier attempt that took effect left its outcome in the state. That outcome is the answer, whatever the
 *    command would do now: a deletion that is sent twice does not fail because it succeeded.
 * 3. An earlier attempt that was not applied yet, or comes later, changes nothing whenever it is applied: that is what
 *    `withoutEffect` promises. So no attempt takes effect after its caller was told that there is none. A snapshot that
 *    is restored in between can break the promise; it also brings back everything else that was deleted.
 * The state is checked first, so that a write with an effect costs no confirmation of leadership.
 */
export async function outcomeWithoutEntry<Body, Outcome>(
  {
    state,
    leads,
  }: { readonly state: Pick<ReplicatedState, 'store' | 'outcomeOf'>; readonly leads: ServerContext['leads'] },
  command: CommandDefinition<Body, Outcome>,
  body: Body,
  identity: WriteIdentity | undefined,
): Promise<Result<Outcome, Failure> | undefined> {
  if (command.withoutEffect?.(state.store.read(), body) === undefined) return undefined
  const leading = await leads()
  if (!leading.ok) return leading
  const before = identity === undefined ? undefined : state.outcomeOf(identity, command)
  if (before !== undefined) return before
  const outcome = command.withoutEffect(state.store.read(), body)
  return outcome === undefined ? undefined : ok(outcome)
}
