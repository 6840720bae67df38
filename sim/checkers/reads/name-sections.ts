import type { DnsConfig } from '../../../src/agent/settings/agent-config.ts'
import type { DnsRecord } from '../../../src/dns-wire/message.ts'
import { addressOf, everyCheck, type HeldInstance, type HeldNode, isCritical, isPassing } from './held.ts'

/** What a name refers to. */
export type NamedThing =
  | { readonly kind: 'service'; readonly tag?: string; readonly connect: boolean }
  | { readonly kind: 'node'; readonly node: string }
  /** The result of a prepared query: instances of any health, and the TTL of the answer. */
  | { readonly kind: 'query'; readonly found: readonly HeldInstance[]; readonly ttlS: number }
  /** A name that has an address written into it; undefined: a number of digits that no address has. */
  | { readonly kind: 'address'; readonly address: string | undefined }
  /** A name that does not exist. */
  | { readonly kind: 'nothing' }

export type AskedType = 'A' | 'AAAA' | 'SRV' | 'TXT' | 'ANY' | 'MX'

export interface NameAsked {
  /** A fully qualified name. */
  readonly name: string
  readonly type: AskedType
  readonly over: 'udp' | 'tcp'
  /** From the question's OPT record; undefined: it has none. */
  readonly udpSize: number | undefined
  readonly thing: NamedThing
  /** The datacenter of the question, as its agents name it. */
  readonly datacenter: string
}

/** Settings of the asked agent that its answers depend on. */
export type NameSettings = Pick<
  DnsConfig,
  'enableTruncate' | 'onlyPassing' | 'udpAnswerLimit' | 'additionalMetaTxt' | 'nodeTtlS' | 'serviceTtlS'
>

/** The correct content of an answer, each record as text. */
export interface Sections {
  readonly rcode: 'NOERROR' | 'NXDOMAIN'
  readonly answers: readonly string[]
  readonly authorities: readonly string[]
  readonly additionals: readonly string[]
}

const domain = 'svc.'
const authority = `${domain} 0 SOA ns.${domain}`
const unknown: Sections = { rcode: 'NXDOMAIN', answers: [], authorities: [authority], additionals: [] }

/**
 * The correct answer, section by section, if no limit applies. Written independently of the program, from
 * docs/reference/dns.md alone.
 */
export function sectionsOf(
  held: readonly HeldInstance[],
  nodes: readonly HeldNode[],
  asked: NameAsked,
  settings: NameSettings,
): Sections {
  const { thing } = asked
  switch (thing.kind) {
    case 'nothing':
      return unknown
    case 'node':
      return ofNode(
        nodes.find(({ name }) => name === thing.node),
        asked,
        settings,
      )
    case 'address':
      return ofAddress(thing.address, asked, settings)
    case 'service': {
      const { tag, connect } = thing
      const named = held.filter(({ inMesh, tags }) => (connect ? inMesh : tag === undefined || tags.includes(tag)))
      const offered = named.filter((each) => (settings.onlyPassing ? isPassing(each) : !isCritical(each)))
      return ofInstances(offered, asked, 0, settings)
    }
    case 'query':
      return ofInstances(thing.found, asked, thing.ttlS, settings)
  }
}

function ofNode(node: HeldNode | undefined, { name, type }: NameAsked, settings: NameSettings): Sections {
  const nothing: Sections = { rcode: 'NOERROR', answers: [], authorities: [], additionals: [] }
  if (type === 'SRV' || type === 'MX') return nothing
  if (node === undefined) return unknown
  const addresses = addressRecords(name, settings.nodeTtlS, node.address, type)
  const texts = metaRecords(name, settings.nodeTtlS, node)
  if (type === 'ANY' || type === 'TXT') return { ...nothing, answers: [...addresses, ...texts] }
  return { ...nothing, answers: addresses, additionals: settings.additionalMetaTxt ? texts : [] }
}

/** Whatever type of record is asked for. */
function ofAddress(address: string | undefined, { name }: NameAsked, { nodeTtlS }: NameSettings): Sections {
  const answers = address === undefined ? [] : addressRecords(name, nodeTtlS, address, 'ANY')
  return { rcode: 'NOERROR', answers, authorities: [], additionals: [] }
}

function ofInstances(
  offered: readonly HeldInstance[],
  asked: NameAsked,
  ttl: number,
  settings: NameSettings,
): Sections {
  if (offered.length === 0) return unknown
  const { answers, additionals } =
    asked.type === 'SRV' ? places(offered, asked, ttl, settings) : addresses(offered, asked, ttl, settings)
  return { rcode: 'NOERROR', answers, additionals, authorities: answers.length === 0 ? [authority] : [] }
}

type Records = Pick<Sections, 'answers' | 'additionals'>

/**
 * One record for each address. TXT records of the node stand beside them, or among them if the question asks for them.
 */
function addresses(
  offered: readonly HeldInstance[],
  { name, type }: NameAsked,
  ttl: number,
  { additionalMetaTxt }: NameSettings,
): Records {
  const byAddress = new Map(offered.map((each) => [addressOf(each), each]))
  const answers: string[] = []
  const additionals: string[] = []
  for (const [address, { node }] of byAddress) {
    answers.push(...addressRecords(name, ttl, address, type))
    const texts = metaRecords(name, ttl, node)
    if (type === 'ANY' || type === 'TXT') answers.push(...texts)
    else if (additionalMetaTxt) additionals.push(...texts)
  }
  return { answers, additionals }
}

/** One record for each node, address and port, with a target that contains the address. */
function places(
  offered: readonly HeldInstance[],
  { name, datacenter }: NameAsked,
  ttl: number,
  { additionalMetaTxt }: NameSettings,
): Records {
  const answers: string[] = []
  const additionals: string[] = []
  for (const each of offered) {
    const address = addressOf(each)
    const ofNodeItself = `${each.node.name}.node.${datacenter}.${domain}`
    const target = address === each.node.address ? ofNodeItself : `${hexOf(address)}.addr.${datacenter}.${domain}`
    answers.push(`${lower(name)} ${ttl} SRV 1 ${weightOf(each)} ${each.port} ${lower(target)}`)
    additionals.push(...addressRecords(target, ttl, address, 'ANY'))
    if (additionalMetaTxt) additionals.push(...metaRecords(ofNodeItself, ttl, each.node))
  }
  return { answers, additionals }
}

function weightOf(each: HeldInstance): number {
  const { passing, warning } = each.weights
  const weight = everyCheck(each).some(({ status }) => status === 'warning') ? warning : passing
  return weight === 0 ? 1 : weight
}

function addressRecords(name: string, ttl: number, address: string, type: AskedType): readonly string[] {
  const family = address.includes(':') ? 'AAAA' : 'A'
  if (type !== 'ANY' && type !== family) return []
  return [`${lower(name)} ${ttl} ${family} ${groupsOf(address)}`]
}

function metaRecords(name: string, ttl: number, { meta }: HeldNode): readonly string[] {
  return meta.map(([key, value]) => `${lower(name)} ${ttl} TXT ${key}=${value}`)
}

/** An IPv4 address unchanged; the eight groups of an IPv6 address, without leading zeros. */
function groupsOf(address: string): string {
  if (!address.includes(':')) return address
  const [head = '', tail = ''] = address.split('::')
  const before = head === '' ? [] : head.split(':')
  const behind = tail === '' ? [] : tail.split(':')
  const missing = Math.max(0, 8 - before.length - behind.length)
  const groups = [...before, ...Array.from({ length: address.includes('::') ? missing : 0 }, () => '0'), ...behind]
  return groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')
}

function hexOf(address: string): string {
  if (address.includes(':')) {
    return groupsOf(address)
      .split(':')
      .map((group) => group.padStart(4, '0'))
      .join('')
  }
  return address
    .split('.')
    .map((part) => Number(part).toString(16).padStart(2, '0'))
    .join('')
}

function lower(name: string): string {
  return name.toLowerCase()
}

/** A record of an answer, in the form of `sectionsOf`. */
export function recordText(record: DnsRecord): string {
  const head = `${lower(record.name)} ${record.ttl} ${record.type}`
  switch (record.type) {
    case 'A':
      return `${head} ${record.address}`
    case 'AAAA':
      return `${head} ${groupsOf(record.address)}`
    case 'CNAME':
    case 'NS':
    case 'PTR':
      return `${head} ${lower(record.target)}`
    case 'TXT':
      return `${head} ${record.texts.join('')}`
    case 'SRV':
      return `${head} ${record.priority} ${record.weight} ${record.port} ${lower(record.target)}`
    case 'SOA':
      return `${head} ${record.primary}`
  }
}
