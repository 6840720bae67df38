import { utf8 } from '../../base/bytes.ts'
import type { Endpoint } from '../../env/net.ts'
import type { Claimant } from '../core/options.ts'
import type { CoreChange, CoreMember } from '../core/types.ts'
import type { Claim, Member, MemberChange, PoolAnswers, PoolQuestion } from '../pool.ts'
import { decodeConflictResponse, internalQuery } from '../wire/internal-queries.ts'
import { decodeTags } from '../wire/tags.ts'

/**
 * Members as the agent sees them: built once for each view of the core, and tags once for as long as their bytes stay
 * the same object.
 */
export class MemberViews {
  readonly #views = new WeakMap<CoreMember, Member>()
  readonly #tags = new WeakMap<Uint8Array, Readonly<Record<string, string>>>()

  #listed: { readonly core: readonly CoreMember[]; readonly members: readonly Member[] } | undefined

  /** Returns the same list for the same argument. */
  all(core: readonly CoreMember[]): readonly Member[] {
    if (this.#listed?.core !== core) this.#listed = { core, members: core.map((member) => this.of(member)) }
    return this.#listed.members
  }

  of(member: CoreMember): Member {
    const known = this.#views.get(member)
    if (known !== undefined) return known
    const { name, address, versions, status } = member
    const view = { name, endpoint: address, tags: this.tagsOf(member.meta), status, versions }
    this.#views.set(member, view)
    return view
  }

  changeOf(change: CoreChange): MemberChange {
    return { kind: change.kind, member: this.of(change.member) }
  }

  claimOf({ name, address, meta }: Claimant): Claim {
    return { name, endpoint: address, tags: decodeTags(meta) }
  }

  tagsOf(meta: Uint8Array): Readonly<Record<string, string>> {
    const known = this.#tags.get(meta)
    if (known !== undefined) return known
    const tags = decodeTags(meta)
    this.#tags.set(meta, tags)
    return tags
  }
}

/**
 * The agent that the pool considers the holder of our name, if that is another agent (serf `resolveNodeConflict`). Two
 * agents of one name would conflict for ever: each receives the other's claims, and neither knows which came first. So
 * this agent asks all members:
 * 1. Only answers that name a living holder count; if the holder is dead, the name is free.
 * 2. We keep the name if at least half of these answers name us.
 * 3. Otherwise we ping the other holder. If it does not answer to the name, it is dead and the pool does not know that
 *    yet, as after a restart under another address. The name will then be ours.
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
