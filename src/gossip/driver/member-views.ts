import type { Claimant, CoreChange, CoreMember } from '../core/types.ts'
import type { Claim, Member, MemberChange } from '../pool.ts'
import { decodeTags } from '../wire/tags.ts'

/** Members as people see them: made once for each view of the core's, tags once for as long as their bytes stay the same object. */
export class MemberViews {
  readonly #views = new WeakMap<CoreMember, Member>()
  readonly #tags = new WeakMap<Uint8Array, Readonly<Record<string, string>>>()

  #listed: { readonly core: readonly CoreMember[]; readonly members: readonly Member[] } | undefined

  /** The same list for the same list. */
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
