import type { About, EntryMeaning, Meaning } from './meaning.ts'

type Of<L extends Meaning['layer']> = Extract<Meaning, { readonly layer: L }>

/** A meaning as a short text, in the field's terms. */
function meaningText(meaning: Meaning): string {
  switch (meaning.layer) {
    case 'gossip':
      return gossipText(meaning)
    case 'raft':
      return raftText(meaning)
    case 'rpc':
      return rpcText(meaning)
    case 'http':
      return httpText(meaning)
    case 'dns':
      return dnsText(meaning)
    case 'log':
      return logText(meaning)
    case 'part':
      return `part of a frame (${meaning.of}, ${meaning.held} B so far)`
    case 'unknown':
      return meaning.why === undefined ? `${meaning.bytes} B unread` : `${meaning.bytes} B unread: ${meaning.why}`
  }
}

/** Several meanings, in their order. */
export function meaningsText(means: readonly Meaning[]): string {
  return means.map(meaningText).join(' + ')
}

function gossipText(meaning: Of<'gossip'>): string {
  switch (meaning.name) {
    case 'ping':
      return `ping ${meaning.member} no. ${meaning.sequence}`
    case 'indirect-ping':
      return `indirect-ping ${meaning.member} no. ${meaning.sequence}`
    case 'ack':
    case 'nack':
      return `${meaning.name} no. ${meaning.sequence}`
    case 'suspect':
      return `suspect ${meaning.member} incarnation ${meaning.incarnation} says ${meaning.from}`
    case 'alive':
      return `alive ${meaning.member} incarnation ${meaning.incarnation}${tagsText(meaning.tags)}`
    case 'dead':
      return meaning.from === meaning.member
        ? `left ${meaning.member} incarnation ${meaning.incarnation}`
        : `dead ${meaning.member} incarnation ${meaning.incarnation} says ${meaning.from}`
    case 'leave-intent':
      return `leave-intent ${meaning.member}${meaning.prune ? ' with prune' : ''} at ${meaning.lamport}`
    case 'join-intent':
      return `join-intent ${meaning.member} at ${meaning.lamport}`
    case 'user-event':
      return `user-event ${meaning.event} at ${meaning.lamport}, ${meaning.bytes} B`
    case 'query':
      return `query ${meaning.event} no. ${meaning.id} from ${meaning.from}`
    case 'query-response':
      return `query-response no. ${meaning.id} from ${meaning.from}`
    case 'relay':
      return `relay to ${meaning.to} of query-response no. ${meaning.id} from ${meaning.from}`
    case 'push-pull': {
      const members = meaning.members.map(({ member, state, incarnation }) => `${member} ${state} ${incarnation}`)
      const more = meaning.count > meaning.members.length ? [`${meaning.count - meaning.members.length} more`] : []
      return `push-pull${meaning.join ? ' to join' : ''}: ${[...members, ...more].join(', ')}`
    }
    case 'error':
      return `error: ${meaning.text}`
  }
}

/** The tags by which agents decide what others understand; the record has all of them. */
function tagsText({ build, acls }: Readonly<Record<string, string>>): string {
  if (build === undefined) return ''
  return ` (build ${build}${acls === undefined ? '' : `, acls ${acls}`})`
}

function raftText(meaning: Of<'raft'>): string {
  const { term } = meaning
  switch (meaning.name) {
    case 'vote-request': {
      const transfer = meaning.transfer ? ', by transfer' : ''
      return `${meaning.pre ? 'pre-vote-request' : 'vote-request'} term ${term}, last entry ${place(meaning.lastIndex, meaning.lastTerm)}${transfer}`
    }
    case 'vote-response':
      return `${meaning.pre ? 'pre-vote' : 'vote'} ${meaning.granted ? 'granted' : 'refused'} term ${term}`
    case 'append-request': {
      const { prev, prevTerm, count, commit, entries } = meaning
      const tail = `after ${place(prev, prevTerm)}, commit ${commit}`
      if (count === 0) return `heartbeat term ${term}, ${tail}`
      const range = count === 1 ? String(prev + 1) : `${prev + 1}..${prev + count}`
      const more = count > entries.length ? ` and ${count - entries.length} more` : ''
      return `append-entries term ${term}: ${range} ${tail} [${entries.map(entryText).join(', ')}${more}]`
    }
    case 'append-response':
      if (!meaning.success)
        return `append refused term ${term}, perhaps after ${place(meaning.index, meaning.hintTerm)}`
      return meaning.index === 0 ? `append heard term ${term}` : `append accepted term ${term} up to ${meaning.index}`
    case 'snapshot-chunk':
      return `snapshot-chunk term ${term} up to ${meaning.index}: ${meaning.bytes} B at ${meaning.offset} of ${meaning.size}`
    case 'snapshot-response':
      return meaning.installed
        ? `snapshot installed term ${term} up to ${meaning.index}`
        : `snapshot-response term ${term} up to ${meaning.index}: next at ${meaning.nextOffset}`
    case 'timeout-now':
      return `timeout-now term ${term}`
  }
}

function place(index: number, term: number): string {
  return `${index} of term ${term}`
}

function entryText({ index, term, kind, command, about, servers }: EntryMeaning): string {
  const what = command ?? (servers === undefined ? kind : `${kind} ${servers}`)
  return `${index}/${term} ${what}${aboutText(about)}`
}

/** ` key=a node=s3`, or empty. */
function aboutText(about: About | undefined): string {
  if (about === undefined) return ''
  return Object.entries(about)
    .map(([subject, value]) => ` ${subject}=${typeof value === 'string' ? value : value?.join(',')}`)
    .join('')
}

function rpcText(meaning: Of<'rpc'>): string {
  switch (meaning.name) {
    case 'hello':
      return `hello of ${meaning.node} in ${meaning.datacenter}`
    case 'request': {
      const { id, method, about, consistency, minIndex, identity } = meaning
      const read = consistency === undefined || consistency === 'default' ? '' : ` ${consistency}`
      const wait = minIndex === undefined ? '' : ` beyond ${minIndex}`
      return `request no. ${id} ${method}${aboutText(about)}${read}${wait}${identity === undefined ? '' : ` as ${identity}`}`
    }
    case 'answer': {
      const at = meaning.index === undefined ? '' : ` at index ${meaning.index}`
      return `answer no. ${meaning.id}${askedText(meaning)}: ${meaning.outcome ?? 'nothing'}${at}`
    }
    case 'failure':
      return `failure no. ${meaning.id}${askedText(meaning)}: ${meaning.failure}${meaning.text === undefined ? '' : ` (${meaning.text})`}`
    case 'cancel':
      return `cancel no. ${meaning.id}${askedText(meaning)}`
    case 'notice':
      return `notice ${meaning.topic}, ${meaning.bytes} B`
    case 'ping':
    case 'pong':
      return `rpc ${meaning.name}`
  }
}

function askedText(meaning: { readonly method?: string | undefined; readonly about?: About | undefined }): string {
  return meaning.method === undefined ? '' : ` ${meaning.method}${aboutText(meaning.about)}`
}

function httpText(meaning: Of<'http'>): string {
  if (meaning.name === 'request') return `${meaning.method} ${meaning.target}`
  const asked = meaning.method === undefined ? '' : ` to ${meaning.method} ${meaning.target ?? ''}`
  return `${meaning.status}${meaning.index === undefined ? '' : ` at index ${meaning.index}`}${asked}, ${meaning.bytes} B`
}

function dnsText(meaning: Of<'dns'>): string {
  const asked = `no. ${meaning.id} ${meaning.question} ${meaning.type}`
  if (meaning.name === 'question') return `question ${asked}`
  const cut = meaning.truncated ? ', truncated' : ''
  return `answer ${asked}: ${meaning.rcode}${cut} ${meaning.records.length === 0 ? 'nothing' : meaning.records.join(', ')}`
}

function logText(meaning: Of<'log'>): string {
  switch (meaning.name) {
    case 'hard-state':
      return meaning.votedFor === undefined
        ? `hard-state term ${meaning.term}, no vote`
        : `hard-state term ${meaning.term}, vote for ${meaning.votedFor}`
    case 'entry':
      return `entry ${entryText(meaning)}`
    case 'truncate':
      return `truncate from ${meaning.from}`
    case 'reset':
      return `reset to ${place(meaning.index, meaning.term)}`
    case 'continued':
      return 'the log goes on in the next segment'
  }
}
