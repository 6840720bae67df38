import { type EvidenceKind, evidenceKinds } from '../checkers/evidence.ts'
import type { Meaning } from '../report/meaning.ts'
import { meaningsText } from '../report/meaning-text.ts'
import { recordWords } from '../report/record-text.ts'
import type { TraceRecord } from '../report/trace-record.ts'
import type { ChainEvent, Part } from './chain-event.ts'
import { kindsOf, meaningsIn } from './evidence.ts'
import { isCode } from './judged-by.ts'
import { isOfPlace, namesThing, type Things } from './things.ts'

/** What happened, and why it matters to the law. */
export interface Sentence {
  readonly node: string
  readonly what: string
  readonly why: string
}

/** Maximum number of messages of one packet in a sentence. */
const meaningsMax = 2

/** Why a fault matters, by the fault's first word. */
const faultReasons: Readonly<Record<string, string>> = {
  crash: 'power cut: the process dies, and unsynced writes may be lost',
  kill: 'the process dies; its disk keeps what was written',
  pause: 'the process stands still for a while, and clocks continue',
  partition: 'nothing passes between these sides',
  cut: 'nothing passes over these links',
  drop: 'packets are lost',
  restart: 'the process starts from what its disk holds',
  rename: 'the same agent comes back under another name',
  move: 'the same agent comes back at another address',
  leave: 'the other members learn that it leaves on purpose',
}

/** An event of a chain as a sentence. */
export function sentenceOf({ event, part, lateUs }: ChainEvent, things: Things): Sentence {
  const late = lateUs === undefined ? '' : `, ${(lateUs / 1_000_000).toFixed(2)} s after it was sent`
  const node = event.kind === 'driver' ? 'fault' : event.node
  return { node: nodeOf(event, part, node), what: `${whatOf(event, part, things)}${late}`, why: whyOf(event, part) }
}

/** Otherwise an expectation of the page is not met. */
function isOfLaw(event: TraceRecord): boolean {
  return event.kind === 'violation' && isCode(event.code)
}

function nodeOf(event: TraceRecord, part: Part, node: string): string {
  if (part === 'violation') return isOfLaw(event) ? 'law' : 'page'
  if (part === 'step') return 'step'
  return event.kind === 'driver' && part !== 'fault' ? (event.text.split(' ', 1)[0] ?? node) : node
}

function whatOf(event: TraceRecord, part: Part, things: Things): string {
  const meanings = relevant(event, part, things)
  switch (event.kind) {
    case 'driver':
      return part === 'fault' || part === 'step' ? event.text : event.text.split(' ').slice(1).join(' ')
    case 'violation':
      return event.text
    case 'boot':
      return event.boot === 1 ? 'starts' : `restarts, life ${event.boot}`
    case 'crash':
      return 'dies'
    case 'diskWrite':
      return `writes to its disk: ${writtenText(meanings)}`
    case 'note':
      return event.text.replace(/^has the votes of a majority/, 'wins the election with a majority of votes')
    case 'segmentSent':
    case 'datagramSent':
      if (part === 'lost') return `sends to ${event.to}, where it never arrives: ${meaningsText(meanings)}`
      return `${isRequest(meanings) ? 'asks' : 'sends to'} ${event.to}: ${meaningsText(meanings)}`
    case 'segment':
    case 'datagram':
      if (part === 'lost') return `never gets from ${event.from}: ${meaningsText(meanings)}`
      return `gets from ${event.from}: ${meaningsText(meanings)}`
    case 'lost':
      return event.how === 'held back'
        ? `its message to ${event.to} waits behind a lost one: ${meaningsText(meanings)}`
        : `its message to ${event.to} is lost: ${meaningsText(meanings)}`
    case 'segmentLost':
      return `its message to ${event.to} is lost: ${meaningsText(meanings)}`
    default:
      return recordWords(event)
  }
}

function writtenText(meanings: readonly Meaning[]): string {
  return meanings
    .map((meaning) => {
      if (meaning.layer !== 'log' || meaning.name !== 'hard-state') return meaningsText([meaning])
      const vote = meaning.votedFor === undefined ? 'it has not voted' : `its vote is for ${meaning.votedFor}`
      return `${vote} in term ${meaning.term}`
    })
    .join(' + ')
}

function isRequest(meanings: readonly Meaning[]): boolean {
  return meanings.some(({ layer, name }) => layer === 'http' && name === 'request')
}

/** Of several messages, those about the violation's things. */
function relevant(event: TraceRecord, part: Part, things: Things): readonly Meaning[] {
  const all = meaningsIn(event)
  const ofPart = all.filter((meaning) => kindsOf(meaning).some((kind) => kind === part))
  const near = (ofPart.length === 0 ? all : ofPart).filter(
    (each) => namesThing(each, things) || isOfPlace(each, things),
  )
  return (near.length > 0 ? near : ofPart.length > 0 ? ofPart : all).slice(0, meaningsMax)
}

function whyOf(event: TraceRecord, part: Part): string {
  switch (part) {
    case 'violation':
      return isOfLaw(event) ? 'this breaks the law' : 'the page expects otherwise'
    case 'fault':
      return faultReason(event)
    case 'life':
      return lifeReason(event)
    case 'lost':
      return 'the receiver never learned of it'
    case 'step':
      return 'a step of the scenario'
    default:
      return evidenceReason(event, part)
  }
}

function lifeReason({ kind }: TraceRecord): string {
  if (kind === 'boot') return 'it knows only what its disk kept'
  if (kind === 'crash') return 'what was only in its memory is gone'
  if (kind === 'pause') return 'it stands still for a while'
  return kind === 'resume' ? 'it continues with what it believed before' : 'from here on the law judges by this'
}

function faultReason(event: TraceRecord): string {
  const [word = ''] = event.kind === 'driver' ? event.text.split(' ', 1) : []
  if (event.kind === 'diskFault') return 'a disk fault'
  return Object.hasOwn(faultReasons, word) ? (faultReasons[word] as string) : 'an injected fault'
}

/** A reason that is shorter, or closer to the case, than that of the kind. */
function evidenceReason(event: TraceRecord, part: EvidenceKind): string {
  const [meaning] = meaningsIn(event).filter((each) => kindsOf(each).includes(part))
  if (meaning?.layer === 'log' && meaning.name === 'hard-state' && meaning.votedFor !== undefined)
    return `it may not vote for another candidate in term ${meaning.term}`
  if (meaning?.layer === 'raft' && meaning.name === 'vote-request') return 'a server votes once in a term'
  if (meaning?.layer === 'raft' && meaning.name === 'vote-response')
    return meaning.granted ? 'counts towards a majority' : 'counts towards no majority'
  if (meaning?.layer === 'http' && meaning.name === 'answer')
    return meaning.status < 300 ? 'from here on the client relies on it' : 'the client was refused'
  if (meaning?.layer === 'raft' && meaning.name === 'append-request' && part === 'entries')
    return "the leader replicates its entries to this server's log"
  if (meaning?.layer === 'rpc' && meaning.name !== 'request') return 'the agent that asked relies on this answer'
  if (meaning?.layer === 'http') return 'a request of a client'
  return evidenceKinds[part]
}
