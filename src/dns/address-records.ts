import { lowerAscii } from '../base/letter-case.ts'
import { type DnsRecord, typeCodes } from '../dns-wire/message.ts'
import { isName } from '../dns-wire/names.ts'
import type { DnsAnswer } from './answer.ts'
import { type Asked, aliasesMax, domainOf, labelsWithin } from './asked.ts'
import { addressRecord } from './records.ts'
import type { Recursion } from './recursion.ts'

/** Maximum number of records after an alias, for a client that may accept only 512 bytes. Reference: dns.md#fact-52. */
const followedMax = 5

interface AddressRecordParts {
  /** The agent's own domains. */
  readonly domains: readonly string[]
  readonly recursion: Pick<Recursion, 'isThere' | 'addressesOf'>
  /** Answers a question within these domains. */
  answer(asked: Asked): Promise<DnsAnswer>
}

interface AddressWanted {
  readonly name: string
  readonly ttl: number
  readonly address: string
  readonly type: number
}

/**
 * Records that lead to the address of a node or service: the address itself, or an alias with the records that it leads
 * to, within the agent's own domains or by way of recursors. The question carries how many aliases may still be
 * followed.
 */
export class AddressRecords {
  readonly #parts: AddressRecordParts

  constructor(parts: AddressRecordParts) {
    this.#parts = parts
  }

  /** The records of the type that was asked for. */
  async to(asked: Asked, { name, ttl, address, type }: AddressWanted): Promise<readonly DnsRecord[]> {
    const record = addressRecord(name, ttl, address)
    if (type === typeCodes.ANY || type === typeCodes[record.type]) {
      return record.type === 'CNAME' ? [record, ...(await this.#follow(asked, record.target))] : [record]
    }
    if (record.type !== 'CNAME') return []
    const { A, AAAA, TXT } = typeCodes
    return [A, AAAA, TXT].some((other) => other === type) ? [record, ...(await this.#follow(asked, record.target))] : []
  }

  async #follow(asked: Asked, target: string): Promise<readonly DnsRecord[]> {
    const name = lowerAscii(target)
    const domain = domainOf(name, this.#parts.domains)
    if (domain === undefined) return this.#followOutside(asked, target)
    const { aliasesLeft, follows } = asked
    if (aliasesLeft === 0) return []
    // Many instances may be aliases of one name, and its answer may be as long as theirs.
    const key = `${aliasesLeft} ${target}`
    let known = follows.answers.get(key)
    if (known === undefined) {
      if (follows.left === 0) return []
      follows.left--
      const labels = labelsWithin(name, domain)
      const onward = { ...asked, name: target, type: typeCodes.ANY, domain, labels, aliasesLeft: aliasesLeft - 1 }
      known = this.#parts.answer(onward)
      follows.answers.set(key, known)
    }
    return followed((await known).answers, asked)
  }

  /**
   * Follows a name outside our domains if a recursor can be asked. A recursor that did not answer is not asked again
   * for this question.
   */
  async #followOutside(asked: Asked, target: string): Promise<readonly DnsRecord[]> {
    const { reads, follows } = asked
    const { recursion } = this.#parts
    if (!recursion.isThere || follows.outsideLeft === 0 || !isName(target)) return []
    follows.outsideLeft--
    reads.basis.isOfTheMoment()
    const found = await recursion.addressesOf(target)
    if (found === undefined) follows.outsideLeft = 0
    return followed(found ?? [], asked)
  }
}

/**
 * The records of a name that was followed. Where there is room for no more, the answer is too long for any message, and
 * of each name only the first records are sent: those of the aliases that lead to its first address.
 */
function followed(answers: readonly DnsRecord[], { edns, aliasesLeft, follows }: Asked): readonly DnsRecord[] {
  const most = edns ? Math.max(followedMax, follows.recordsLeft) : followedMax
  const onward = answers.filter(({ type }) => ['CNAME', 'A', 'AAAA', 'TXT'].includes(type)).slice(0, most)
  if (aliasesLeft === aliasesMax) follows.recordsLeft -= onward.length
  return onward
}
