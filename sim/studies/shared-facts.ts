import { equalBytes } from '../../src/base/bytes.ts'
import type { MemberFacts } from '../../src/gossip/core/options.ts'
import { sameAddress, sameVersions } from '../../src/gossip/core/validity.ts'

/**
 * Facts about members, by name: those that all members of a pool share are stored once. At most one for each member; a
 * member with older facts keeps them.
 */
export class SharedFacts {
  readonly #known = new Map<string, MemberFacts>()

  /** Returns the stored copy of equal facts. */
  of(facts: MemberFacts): MemberFacts {
    const known = this.#known.get(facts.name)
    if (known !== undefined && sameFacts(known, facts)) return known
    this.#known.set(facts.name, facts)
    return facts
  }
}

function sameFacts(a: MemberFacts, b: MemberFacts): boolean {
  return sameAddress(a.address, b.address) && equalBytes(a.meta, b.meta) && sameVersions(a.versions, b.versions)
}
