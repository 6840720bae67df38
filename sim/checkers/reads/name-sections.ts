import type { DnsConfig } from '../../../src/agent/settings/agent-config.ts'
import { type HeldInstance, type HeldNode, isCritical, isPassing } from './held.ts'
import { addresses, places } from './instance-sections.ts'
import { type AskedType, addressRecords, groupsOf, lower, metaRecords } from './name-records.ts'

/** What a name refers to. */
export type NamedThing =
  | { readonly kind: 'service'; readonly service: string; readonly tag?: string; readonly connect: boolean }
  | { readonly kind: 'node'; readonly node: string }
  /** The result of a prepared query: instances of any health, and the TTL of the answer. */
  | { readonly kind: 'query'; readonly found: readonly HeldInstance[]; readonly ttlS: number }
  /** A name that has an address written into it; undefined: a number of digits that no address has. */
  | { readonly kind: 'address'; readonly address: string | undefined }
  /** The domain itself: its servers or its start of authority, by the type of the question. */
  | { readonly kind: 'zone' }
  /** The name of an address; undefined: a name that no address has. */
  | { readonly kind: 'reverse'; readonly address: string | undefined; readonly service: string }
  /** A name outside every domain. */
  | { readonly kind: 'outside' }
  /** A name that does not exist. */
  | { readonly kind: 'nothing' }

export interface NameAsked {
  /** A fully qualified name, in any case. */
  readonly name: string
  /** The domain that it is in, in lower case; for other names the agent's own. */
  readonly domain: string
  readonly type: AskedType
  readonly over: 'udp' | 'tcp'
  /** From the question's OPT record; undefined: it has none. */
  readonly udpSize: number | undefined
  readonly thing: NamedThing
  /** The datacenter of the question, as its agents name it. */
  readonly datacenter: string
  /** The asked agent does not know the domain, and asks another agent, whose settings count. */
  readonly isRelayed: boolean
  /** The alias in the answer: of several host names of instances any one may stand there. Absent: none does. */
  readonly alias?: string | undefined
}

/** Settings of the asked agent that its answers depend on. */
export type NameSettings = Pick<
  DnsConfig,
  | 'enableTruncate'
  | 'onlyPassing'
  | 'udpAnswerLimit'
  | 'additionalMetaTxt'
  | 'nodeTtlS'
  | 'serviceTtlS'
  | 'domains'
  | 'recursors'
>

/** The correct content of an answer, each record as text. */
export interface Sections {
  readonly rcode: 'NOERROR' | 'NXDOMAIN' | 'SERVFAIL'
  readonly answers: readonly string[]
  readonly authorities: readonly string[]
  readonly additionals: readonly string[]
  readonly authoritative: boolean
  readonly recursionAvailable: boolean
  /** Whether it has an OPT record if the question had one. */
  readonly edns: boolean
}

/** The sections alone. */
type Body = Pick<Sections, 'rcode' | 'answers' | 'authorities' | 'additionals'>

const empty: Body = { rcode: 'NOERROR', answers: [], authorities: [], additionals: [] }
const failed: Body = { ...empty, rcode: 'SERVFAIL' }

function authorityOf(domain: string): string {
  return `${domain} 0 SOA ns.${domain}`
}

function unknownIn(domain: string): Body {
  return { ...empty, rcode: 'NXDOMAIN', authorities: [authorityOf(domain)] }
}

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
  const body = bodyOf(held, nodes, asked, settings)
  const { thing, isRelayed } = asked
  const isKnown = body.rcode !== 'SERVFAIL'
  const asksOthers = settings.recursors.length > 0
  if (isRelayed && !isKnown) return { ...failed, authoritative: false, recursionAvailable: true, edns: true }
  return {
    ...body,
    authoritative: isKnown,
    recursionAvailable: asksOthers || (thing.kind === 'reverse' && !isKnown),
    edns: thing.kind !== 'outside',
  }
}

function bodyOf(
  held: readonly HeldInstance[],
  nodes: readonly HeldNode[],
  asked: NameAsked,
  settings: NameSettings,
): Body {
  const { thing } = asked
  switch (thing.kind) {
    case 'nothing':
      return unknownIn(asked.domain)
    case 'outside':
      return failed
    case 'zone':
      return ofZone(nodes, asked, settings)
    case 'reverse':
      return ofReverse(held, nodes, thing, asked)
    case 'node':
      return ofNode(
        nodes.find(({ name }) => name === thing.node),
        asked,
        settings,
      )
    case 'address':
      return ofAddress(thing.address, asked, settings)
    case 'service': {
      const { service, tag, connect } = thing
      const named = held.filter(({ inMesh, tags }) => (connect ? inMesh : tag === undefined || tags.includes(tag)))
      const offered = named.filter((each) => (settings.onlyPassing ? isPassing(each) : !isCritical(each)))
      return ofInstances(offered, asked, ttlOf(service, settings), settings)
    }
    case 'query':
      return ofInstances(thing.found, asked, thing.ttlS, settings)
  }
}

/** The time to live of a service's records: by its name, or by the longest beginning of its name that has one. */
export function ttlOf(service: string, { serviceTtlS }: Pick<NameSettings, 'serviceTtlS'>): number {
  const own = serviceTtlS.find(([name]) => name === service)
  if (own !== undefined) return own[1]
  const beginnings = serviceTtlS.filter(([name]) => name.endsWith('*') && service.startsWith(name.slice(0, -1)))
  const [longest] = [...beginnings].sort(([a], [b]) => b.length - a.length)
  return longest?.[1] ?? 0
}

/** The servers of the asked agent's datacenter and their addresses, or the start of authority beside them. */
function ofZone(nodes: readonly HeldNode[], { type, domain, datacenter }: NameAsked, settings: NameSettings): Body {
  const isWell = ({ checks }: HeldNode): boolean =>
    checks.every(({ status }) => (settings.onlyPassing ? status === 'passing' : status !== 'critical'))
  const servers = nodes.filter((node) => node.isServer && isWell(node))
  const named = servers.map(({ name, address }) => ({ name: `${name}.node.${datacenter}.${domain}`, address }))
  const lines = named.map(({ name }) => `${domain} ${settings.nodeTtlS} NS ${lower(name)}`)
  const additionals = named.flatMap(({ name, address }) => addressRecords(name, settings.nodeTtlS, address, 'ANY'))
  if (type === 'NS') return { ...empty, answers: lines, additionals }
  return { ...empty, answers: [authorityOf(domain)], authorities: lines, additionals }
}

/** The node that has this address, or the service that has an instance there. */
function ofReverse(
  held: readonly HeldInstance[],
  nodes: readonly HeldNode[],
  { address, service }: NamedThing & { readonly kind: 'reverse' },
  { name, type, datacenter, domain }: NameAsked,
): Body {
  if (address === undefined) return failed
  const isHere = (other: string): boolean => other !== '' && groupsOf(other) === groupsOf(address)
  const node = nodes.find((each) => isHere(each.address))
  const isOfService = held.some((each) => isHere(each.address))
  if (node === undefined && !isOfService) return failed
  const target = node === undefined ? `${service}.service.${domain}` : `${node.name}.node.${datacenter}.${domain}`
  return {
    ...empty,
    answers: [`${lower(name)} 0 PTR ${lower(target)}`],
    authorities: type === 'SOA' ? [authorityOf(domain)] : [],
  }
}

function ofNode(node: HeldNode | undefined, { name, type, domain }: NameAsked, settings: NameSettings): Body {
  if (type === 'SRV' || type === 'MX') return empty
  if (node === undefined) return unknownIn(domain)
  const addresses = addressRecords(name, settings.nodeTtlS, node.address, type)
  const texts = metaRecords(name, settings.nodeTtlS, node)
  if (type === 'ANY' || type === 'TXT') return { ...empty, answers: [...addresses, ...texts] }
  return { ...empty, answers: addresses, additionals: settings.additionalMetaTxt ? texts : [] }
}

/** Whatever type of record is asked for. */
function ofAddress(address: string | undefined, { name }: NameAsked, { nodeTtlS }: NameSettings): Body {
  return { ...empty, answers: address === undefined ? [] : addressRecords(name, nodeTtlS, address, 'ANY') }
}

function ofInstances(offered: readonly HeldInstance[], asked: NameAsked, ttl: number, settings: NameSettings): Body {
  if (offered.length === 0) return unknownIn(asked.domain)
  const { answers, additionals } =
    asked.type === 'SRV' ? places(offered, asked, ttl, settings) : addresses(offered, asked, ttl, settings)
  return { ...empty, answers, additionals, authorities: answers.length === 0 ? [authorityOf(asked.domain)] : [] }
}
