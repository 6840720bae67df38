import type { Endpoint } from '../../../src/env/net.ts'
import {
  type AskedType,
  type NameAsked,
  type NamedThing,
  type NameSettings,
  sectionsOf,
} from '../../checkers/reads/name-sections.ts'
import { nameFault } from '../../checkers/reads/name-truth.ts'
import type { Draws } from '../../world/decisions/draws.ts'
import { askDns } from '../dns-client.ts'
import type { Held } from './held-service.ts'
import type { Asking } from './http-questions.ts'
import { type AskedAt, answerWithinMs, type Question } from './question.ts'

const types: readonly AskedType[] = ['A', 'A', 'AAAA', 'SRV', 'SRV', 'SRV', 'TXT', 'ANY', 'MX']
const sizes = [undefined, undefined, 512, 1_232, 4_096] as const

/** Makes the question longer than 255 bytes, so that its length over TCP needs two bytes. */
const longTag = [60, 60, 60, 40].map((length, at) => 'abcd'.charAt(at).repeat(length)).join('.')

/** Labels left of the datacenter, and what they refer to. */
interface Named {
  readonly labels: string
  readonly thing: NamedThing
}

/** A question over DNS, drawn from all possible ways. */
export function drawnName(draws: Draws, asking: Asking, at: AskedAt, nodes: readonly string[]): NameAsked {
  const named = drawnLabels(draws, asking, nodes)
  const type = types[draws.below(types.length)] ?? 'A'
  const over = named.labels.length > 200 || draws.below(2) === 0 ? 'tcp' : 'udp'
  const udpSize = sizes[draws.below(sizes.length)]
  return { name: nameIn(named.labels, at, draws), type, over, udpSize, thing: named.thing, datacenter: at.of }
}

/** The datacenter is named if it is not the agent's own, and sometimes if it is. */
export function nameIn(labels: string, at: AskedAt, draws: Draws): string {
  const datacenter = at.datacenter ?? (draws.below(4) === 0 ? at.of : undefined)
  return `${labels}${datacenter === undefined ? '' : `.${datacenter}`}.svc.`
}

function drawnLabels(draws: Draws, { service, tags }: Asking, nodes: readonly string[]): Named {
  const tag = tags[draws.below(Math.max(1, tags.length))]
  const ofTag: NamedThing = { kind: 'service', connect: false, ...(tag === undefined ? {} : { tag }) }
  const all: NamedThing = { kind: 'service', connect: false }
  switch (draws.below(13)) {
    case 0:
      return { labels: `${service}.connect`, thing: { kind: 'service', connect: true } }
    case 1:
    case 2:
      return { labels: `_${service}._${tag ?? 'tcp'}.service`, thing: ofTag }
    case 3:
      return { labels: `_${service}._tcp.service`, thing: all }
    case 4:
      return { labels: `${tag === undefined ? '' : `${tag}.`}${service}.service`, thing: ofTag }
    case 5:
      return { labels: `${longTag}.${service}.service`, thing: { kind: 'nothing' } }
    case 6:
    case 7: {
      const node = draws.oneOf(nodes, (name) => name) ?? 'nobody'
      return { labels: `${node}.node`, thing: { kind: 'node', node } }
    }
    case 8:
      return drawnAddress(draws)
    case 9:
      return { labels: `nobody.${draws.below(2) === 0 ? 'service' : 'query'}`, thing: { kind: 'nothing' } }
    default:
      return { labels: `${service}.service`, thing: all }
  }
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
  { asked, at, to, settings }: { asked: NameAsked; at: AskedAt; to: Endpoint; settings: NameSettings },
  look: () => Held | undefined,
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
      return { fault: nameFault(sectionsOf(now.instances, now.nodes, asked, settings), asked, settings, told) }
    },
  }
}
