import { type DnsQuery, typeCodes } from '../dns-wire/message.ts'

/** A question within one of our domains. */
export interface Asked {
  /** As asked: owner names of answers repeat its case. */
  readonly name: string
  /** A code of `typeCodes`, or any other. */
  readonly type: number
  /** The one of our domains that it lies in: targets stay there. Lower case. */
  readonly domain: string
  /** Left of the domain, in lower case. */
  readonly labels: readonly string[]
  /** The client takes more than 512 bytes for sure. */
  readonly edns: boolean
  /** The address for which it is asked. */
  readonly client: string
  /** How many aliases may still be followed within our domains. */
  readonly aliasesLeft: number
  /** How many more all that the client's question leads to may follow together. */
  readonly follows: { left: number }
}

const aliasesMax = 3
/** As many as instances that one answer can tell of. Services of many aliases to each other would lead to their product. */
const followsMax = 1_024

/** The domain that a name lies in, undefined when it is none of these. `name` in lower case. */
export function domainOf(name: string, domains: readonly string[]): string | undefined {
  const holding = domains.filter((domain) => name === domain || name.endsWith(`.${domain}`))
  return holding.reduce<string | undefined>(
    (longest, domain) => (longest === undefined || domain.length > longest.length ? domain : longest),
    undefined,
  )
}

export function labelsWithin(name: string, domain: string): readonly string[] {
  return name === domain ? [] : name.slice(0, -domain.length - 1).split('.')
}

export function askedBy(query: DnsQuery, lowerName: string, domain: string, client: string): Asked {
  const { name, type } = query.question
  const labels = labelsWithin(lowerName, domain)
  return {
    name,
    type,
    domain,
    labels,
    edns: query.edns !== undefined,
    client,
    aliasesLeft: aliasesMax,
    follows: { left: followsMax },
  }
}

/** Whether a node's metadata is the answer itself, and not beside it. Reference: dns 59. */
export function wantsMetadata({ type }: Asked): boolean {
  return type === typeCodes.ANY || type === typeCodes.TXT
}
