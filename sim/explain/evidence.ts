import type { EvidenceKind } from '../checkers/evidence.ts'
import type { Meaning } from '../report/meaning.ts'
import type { TraceRecord } from '../report/trace-record.ts'

/** Evidence about terms and indexes of the log, rather than about named things. */
export const ofPlace: ReadonlySet<EvidenceKind> = new Set([
  'votes',
  'terms',
  'elections',
  'entries',
  'acknowledgements',
  'commits',
  'heartbeats',
  'snapshots',
])

/** Kinds of commands of the log by the first part of their names. */
const commandKinds: Readonly<Record<string, EvidenceKind>> = {
  session: 'locks',
  catalog: 'catalog',
  acl: 'rights',
  connect: 'authority',
  intention: 'intentions',
  query: 'queries',
  snapshot: 'restores',
}

/** The kinds of evidence of an event; empty for most. */
export function evidenceIn(event: TraceRecord): readonly EvidenceKind[] {
  switch (event.kind) {
    case 'note':
      if (event.text.startsWith('commits up to')) return ['commits']
      if (event.text.startsWith('thrown by')) return ['complaints']
      return event.text.startsWith('has the votes') ? ['elections', 'votes'] : []
    case 'driver':
      return event.story === 'note' && / leads$| no longer leads$/.test(event.text) ? ['elections'] : []
    case 'log':
      return /^\[(?:WARN|ERROR)\]/.test(event.text) ? ['complaints'] : []
    case 'error':
      return ['complaints']
    default:
      return [...new Set(meaningsIn(event).flatMap(kindsOf))]
  }
}

export function meaningsIn(event: TraceRecord): readonly Meaning[] {
  return 'means' in event && event.means !== undefined ? event.means : []
}

/** The kinds of one message or record. */
export function kindsOf(meaning: Meaning): readonly EvidenceKind[] {
  switch (meaning.layer) {
    case 'raft':
      return raftKinds(meaning)
    case 'log':
      return logKinds(meaning)
    case 'http':
      return ['requests']
    case 'dns':
      return ['names']
    case 'rpc':
      return meaning.name === 'request' || meaning.name === 'answer' || meaning.name === 'failure' ? ['forwards'] : []
    case 'gossip':
      return gossipKinds(meaning.name)
    default:
      return []
  }
}

function raftKinds(meaning: Extract<Meaning, { layer: 'raft' }>): readonly EvidenceKind[] {
  switch (meaning.name) {
    case 'vote-request':
    case 'vote-response':
      return meaning.pre ? [] : ['votes']
    case 'append-request':
      return meaning.count > 0 ? ['entries'] : ['heartbeats']
    case 'append-response':
      return meaning.success && meaning.index > 0 ? ['acknowledgements', 'heartbeats'] : ['heartbeats']
    case 'timeout-now':
      return ['elections']
    default:
      return ['snapshots']
  }
}

function logKinds(meaning: Extract<Meaning, { layer: 'log' }>): readonly EvidenceKind[] {
  switch (meaning.name) {
    case 'hard-state':
      return meaning.votedFor === undefined ? ['terms'] : ['votes', 'terms']
    case 'entry': {
      if (meaning.kind === 'configuration') return ['configurations', 'entries']
      return meaning.command === undefined ? ['entries'] : ['commands', ...commandsKind(meaning.command), 'entries']
    }
    case 'reset':
      return ['snapshots', 'entries']
    case 'truncate':
      return ['entries']
    default:
      return []
  }
}

function commandsKind(command: string): readonly EvidenceKind[] {
  if (command === 'kv.lock' || command === 'kv.unlock') return ['locks']
  const [family = ''] = command.split('.')
  const kind = Object.hasOwn(commandKinds, family) ? commandKinds[family] : undefined
  return kind === undefined ? [] : [kind]
}

function gossipKinds(name: string): readonly EvidenceKind[] {
  if (/^(?:suspect|alive|dead|leave-intent|join-intent)$/.test(name)) return ['members']
  if (name === 'user-event') return ['events']
  return /^(?:ping|indirect-ping|ack|nack)$/.test(name) ? ['probes'] : []
}
