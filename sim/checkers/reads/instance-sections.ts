import { addressOf, everyCheck, type HeldInstance } from './held.ts'
import { type AskedType, addressRecords, aliasRecord, hexOf, isHostName, lower, metaRecords } from './name-records.ts'

/** The records of a service's instances: their addresses, or a place for each. */

interface InstancesAsked {
  readonly name: string
  readonly domain: string
  readonly type: AskedType
  readonly datacenter: string
  readonly alias?: string | undefined
}

interface TextSettings {
  readonly additionalMetaTxt: boolean
}

interface Records {
  readonly answers: readonly string[]
  readonly additionals: readonly string[]
}

/**
 * One record for each address. TXT records of the node stand beside them, or among them if the question asks for them.
 * A host name makes an alias, which stands alone: only if there is no other record, and only one of several.
 */
export function addresses(
  offered: readonly HeldInstance[],
  { name, type, alias }: InstancesAsked,
  ttl: number,
  { additionalMetaTxt }: TextSettings,
): Records {
  const byAddress = new Map(offered.map((each) => [addressOf(each), each]))
  const answers: string[] = []
  const additionals: string[] = []
  for (const [address, { node }] of byAddress) {
    if (!isHostName(address)) answers.push(...addressRecords(name, ttl, address, type))
    const texts = metaRecords(name, ttl, node)
    if (type === 'ANY' || type === 'TXT') answers.push(...texts)
    else if (additionalMetaTxt) additionals.push(...texts)
  }
  const aliases = [...byAddress.keys()].filter(isHostName)
  const told = aliases.find((each) => lower(`${each}.`) === alias) ?? aliases[0]
  const mayAlias = type !== 'MX' && answers.length === 0 && told !== undefined
  return { answers: mayAlias ? [aliasRecord(name, ttl, told)] : answers, additionals }
}

/** One record for each node, address and port, with a target that contains the address unless that is a host name. */
export function places(
  offered: readonly HeldInstance[],
  { name, datacenter, domain }: InstancesAsked,
  ttl: number,
  { additionalMetaTxt }: TextSettings,
): Records {
  const answers: string[] = []
  const additionals: string[] = []
  for (const each of offered) {
    const address = addressOf(each)
    const isName = isHostName(address)
    const ofNodeItself = `${each.node.name}.node.${datacenter}.${domain}`
    const isOfNode = isName || address === each.node.address
    const target = isOfNode ? ofNodeItself : `${hexOf(address)}.addr.${datacenter}.${domain}`
    answers.push(`${lower(name)} ${ttl} SRV 1 ${weightOf(each)} ${each.port} ${lower(target)}`)
    additionals.push(...(isName ? [aliasRecord(target, ttl, address)] : addressRecords(target, ttl, address, 'ANY')))
    if (additionalMetaTxt) additionals.push(...metaRecords(ofNodeItself, ttl, each.node))
  }
  return { answers, additionals }
}

function weightOf(each: HeldInstance): number {
  const { passing, warning } = each.weights
  const weight = everyCheck(each).some(({ status }) => status === 'warning') ? warning : passing
  // Weights that are not known count as 1; a known weight of an instance that warns may be 0.
  return passing === 0 ? 1 : weight
}
