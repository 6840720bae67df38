import type { Endpoint } from '../../../src/env/net.ts'
import { type AskedType, aliasIn, hexOf, isHostName } from '../../checkers/reads/name-records.ts'
import { type NameAsked, type NamedThing, type NameSettings, sectionsOf } from '../../checkers/reads/name-sections.ts'
import { nameFault } from '../../checkers/reads/name-truth.ts'
import type { Draws } from '../../world/decisions/draws.ts'
import { askDns } from '../dns-client.ts'
import type { Held } from './held-service.ts'
import type { Asking } from './http-questions.ts'
import { type AskedAt, answerWithinMs, type Question } from './question.ts'

const types: readonly AskedType[] = ['A', 'A', 'AAAA', 'SRV', 'SRV', 'SRV', 'TXT', 'ANY', 'MX']
const zoneTypes: readonly AskedType[] = ['NS', 'SOA']
const reverseTypes: readonly AskedType[] = ['PTR', 'PTR', 'SOA', 'A']
const sizes = [undefined, undefined, 512, 1_232, 4_096] as const

/** Makes the question longer than 255 bytes, so that its length over TCP needs two bytes. */
const longTag = [60, 60, 60, 40].map((length, at) => 'abcd'.charAt(at).repeat(length)).join('.')

/** Names of no address: a number too large, one that begins with a zero, too few, digits that are none. */
const wrongReverse = [
  '256.0.0.10.in-addr.arpa.',
  '01.0.0.10.in-addr.arpa.',
  '0.0.10.in-addr.arpa.',
  '1.0.0.0.10.in-addr.arpa.',
  'x.0.0.10.in-addr.arpa.',
  `${'0.'.repeat(31)}ip6.arpa.`,
  `${'0.'.repeat(31)}g.ip6.arpa.`,
]

/** A name, without datacenter and domain if it is in one, and what it refers to. */
interface Named {
  readonly labels: string
  readonly thing: NamedThing
}

/** Where a question is asked, and the agent whose settings its answer depends on. */
export interface NamePlace {
  readonly at: AskedAt
  readonly settings: NameSettings
  /** The domains to ask for names in, that of the answers first. */
  readonly domains: readonly string[]
  /** The asked agent passes the question on to that other agent. */
  readonly isRelayed: boolean
}

/** The agents' nodes and instances, from which addresses to ask for are chosen; undefined: not all are known. */
type Look = () => Held | undefined

/** A question over DNS, drawn from all possible ways. `turn`: how many the group has asked before. */
export function drawnName(
  draws: Draws,
  asking: Asking,
  place: NamePlace,
  { nodes, look, turn }: { readonly nodes: readonly string[]; readonly look: Look; readonly turn: number },
): NameAsked {
  const { at, settings, domains, isRelayed } = place
  // What an agent that asks others says of names that it does not know is theirs to say.
  const saysItself = at.datacenter === undefined && settings.recursors.length === 0
  const subject = subjectOf(turn, saysItself)
  const named = subject === 'other' ? drawnOther(draws, asking, look) : drawnLabels(subject, draws, asking, nodes)
  const { kind } = named.thing
  const asTypes = kind === 'zone' ? zoneTypes : kind === 'reverse' ? reverseTypes : types
  const domain = domains[draws.below(4) === 0 ? draws.below(domains.length) : 0] ?? ''
  const isWhole = kind === 'reverse' || kind === 'outside'
  const name = isWhole ? named.labels : nameIn(named.labels, at, draws, domain)
  const over = name.length > 200 || draws.below(2) === 0 ? 'tcp' : 'udp'
  return {
    name: draws.below(4) === 0 ? inAnyCase(name, draws) : name,
    domain: isWhole ? (settings.domains[0] ?? '') : domain,
    type: asTypes[draws.below(asTypes.length)] ?? 'A',
    over,
    udpSize: sizes[draws.below(sizes.length)],
    thing: named.thing,
    datacenter: at.of,
    isRelayed,
  }
}

/** The datacenter is named if it is not the agent's own, and sometimes if it is. */
export function nameIn(labels: string, at: AskedAt, draws: Draws, domain: string): string {
  const datacenter = at.datacenter ?? (draws.below(4) === 0 ? at.of : undefined)
  return `${labels}${datacenter === undefined ? '' : `.${datacenter}`}.${domain}`
}

/** As resolvers do that protect themselves from forged answers. */
function inAnyCase(name: string, draws: Draws): string {
  return name.replace(/[a-z]/g, (letter) => (draws.below(2) === 0 ? letter.toUpperCase() : letter))
}

/** What is asked for, as often as it stands here; each question asks for another one than the last. */
const subjects = [
  'service',
  'connect',
  'node',
  'tag over SRV',
  'address',
  'service',
  'tag',
  'other',
  'nobody',
  'tag over SRV',
  'underscores',
  'service',
  'node',
  'other',
  'service over SRV',
  'long tag',
  'service',
  'other',
] as const
type Subject = (typeof subjects)[number]

/** Only agents that ask no others, and of the service's datacenter, can be asked for `other`. */
function subjectOf(turn: number, saysItself: boolean): Subject {
  const subject = subjects[turn % subjects.length] ?? 'service'
  return subject === 'other' && !saysItself ? 'service' : subject
}

function drawnLabels(subject: Subject, draws: Draws, { service, tags }: Asking, nodes: readonly string[]): Named {
  const tag = tags[draws.below(Math.max(1, tags.length))]
  const all: NamedThing = { kind: 'service', service, connect: false }
  const ofTag: NamedThing = { ...all, ...(tag === undefined ? {} : { tag }) }
  switch (subject) {
    case 'connect':
      return { labels: `${service}.connect`, thing: { kind: 'service', service, connect: true } }
    case 'tag over SRV':
      return { labels: `_${service}._${tag ?? 'tcp'}.service`, thing: ofTag }
    case 'service over SRV':
      return { labels: `_${service}._tcp.service`, thing: all }
    case 'tag':
      return { labels: `${tag === undefined ? '' : `${tag}.`}${service}.service`, thing: ofTag }
    case 'long tag':
      return { labels: `${longTag}.${service}.service`, thing: { kind: 'nothing' } }
    case 'node': {
      const node = draws.below(6) === 0 ? 'nobody' : (draws.oneOf(nodes, (name) => name) ?? 'nobody')
      return { labels: `${node}.node`, thing: { kind: 'node', node } }
    }
    case 'address':
      return drawnAddress(draws)
    case 'underscores': {
      // Two labels, of a service and a protocol, begin with an underscore: not one, and not three.
      const labels = draws.below(2) === 0 ? `_${service}` : `_${service}._${tag ?? 'x'}._tcp`
      return { labels: `${labels}.service`, thing: { kind: 'nothing' } }
    }
    case 'nobody':
      return { labels: `nobody.${draws.below(2) === 0 ? 'service' : 'query'}`, thing: { kind: 'nothing' } }
    default:
      return { labels: `${service}.service`, thing: all }
  }
}

/** What is asked for seldom: the domain itself, the name of an address, and a name outside. */
function drawnOther(draws: Draws, { service }: Asking, look: Look): Named {
  switch (draws.below(6)) {
    case 0:
      return { labels: `${service}.service`, thing: { kind: 'zone' } }
    case 1:
      return { labels: 'www.example.', thing: { kind: 'outside' } }
    case 2: {
      const labels = wrongReverse[draws.below(wrongReverse.length)] ?? ''
      return { labels, thing: { kind: 'reverse', address: undefined, service } }
    }
    default: {
      const { nodes, instances } = look() ?? { nodes: [], instances: [] }
      const all = [...nodes, ...instances, ...instances].map(({ address }) => address)
      const known = all.filter((each) => each !== '' && !isHostName(each))
      const long = known.filter((each) => each.includes(':'))
      const some = long.length > 0 && draws.below(2) === 0 ? long : known
      const address = draws.oneOf(some, (each) => each) ?? '10.8.0.1'
      const labels = reverseName(address)
      if (!address.includes(':') || draws.below(2) === 0)
        return { labels, thing: { kind: 'reverse', address, service } }
      // All digits are there in their order, but two of them share a label.
      return { labels: labels.replace(/^(.)\.(.)/, '$2$1'), thing: { kind: 'reverse', address: undefined, service } }
    }
  }
}

/** RFC 1035, section 3.5; RFC 3596, section 2.5. */
function reverseName(address: string): string {
  if (!address.includes(':')) return `${address.split('.').reverse().join('.')}.in-addr.arpa.`
  return `${[...hexOf(address)].reverse().join('.')}.ip6.arpa.`
}

/** An address in the form that targets of SRV records have, or digits that are none. */
function drawnAddress(draws: Draws): Named {
  const digits = (count: number): string => Array.from({ length: count }, () => draws.below(16).toString(16)).join('')
  const addressed = (text: string, address: string | undefined): Named => ({
    labels: `${text}.addr`,
    thing: { kind: 'address', address },
  })
  switch (draws.below(5)) {
    case 0: {
      const hex = digits(8)
      return addressed(
        hex,
        pairsOf(hex, 2)
          .map((pair) => Number.parseInt(pair, 16))
          .join('.'),
      )
    }
    case 1: {
      const hex = digits(32)
      return addressed(hex, pairsOf(hex, 4).join(':'))
    }
    case 2:
      return addressed(digits([2, 6, 12, 16, 30, 34, 40][draws.below(7)] ?? 2), undefined)
    case 3:
      return { labels: `${digits(7)}g.addr`, thing: { kind: 'nothing' } }
    default:
      return { labels: `a.${digits(8)}.addr`, thing: { kind: 'nothing' } }
  }
}

function pairsOf(text: string, length: number): readonly string[] {
  return Array.from({ length: text.length / length }, (_, at) => text.slice(at * length, (at + 1) * length))
}

/** Asks one agent over DNS, and compares section by section: N1. */
export function nameQuestion(
  { asked, at, to, settings }: { asked: NameAsked; to: Endpoint } & Pick<NamePlace, 'at' | 'settings'>,
  look: Look,
): Question {
  const { name, type, over, udpSize } = asked
  return {
    law: 'N1',
    text: `${name} ${type} over ${over.toUpperCase()}${udpSize === undefined ? '' : ` with EDNS of ${udpSize}`} at ${at.name}`,
    basis: () => {
      const now = look()
      return now === undefined ? undefined : JSON.stringify(now)
    },
    ask: async (env, host) => {
      const told = await askDns(env, host, to, { name, type, over, udpSize, timeoutMs: answerWithinMs })
      if (typeof told === 'string') return at.mustAnswer ? { fault: `is not answered: ${told}` } : undefined
      if (told.rcode === 'SERVFAIL' && !at.mustAnswer) return undefined
      const now = look()
      if (now === undefined) return undefined
      const as = { ...asked, alias: aliasIn(told.answers) }
      return { fault: nameFault(sectionsOf(now.instances, now.nodes, as, settings), asked, settings, told) }
    },
  }
}
