import { err, ok, type Result } from '../../../src/base/result.ts'

/**
 * Which nodes a scenario means. Names and words are joined as people say them: `leader`, `one of followers`, `dc1/servers`,
 * `half of others`, `s1, s3`, `${old leader}`.
 */
export type Pick =
  | { readonly kind: 'node'; readonly name: string }
  | { readonly kind: 'saved'; readonly name: string }
  /** The node whose event set off a fault. */
  | { readonly kind: 'it' }
  | { readonly kind: 'group'; readonly group: Group; readonly datacenter: string | undefined }
  /** `count` of them, chosen at random. */
  | { readonly kind: 'some'; readonly count: number | 'half'; readonly of: Pick }
  | { readonly kind: 'union'; readonly parts: readonly Pick[] }

export const groups = {
  leader: 'the server that leads; of several that believe so, the one with the highest term',
  followers: 'running servers that do not lead',
  servers: 'every server, running or not',
  minority: 'as many servers as can fail without loss of service, chosen at random',
  majority: 'a bare majority of the servers, chosen at random',
  'minority with the leader': 'the leader and others up to a minority, chosen at random',
  'majority with the leader': 'the leader and others up to a bare majority, chosen at random',
  running: 'servers whose process runs, paused ones included',
  crashed: 'servers whose process does not run',
  clients: 'every client agent, running or not',
  nodes: 'every agent, servers and clients, running or not',
  'other nodes':
    'in a fault: every agent but the one whose event set it off; in a cut: every agent but those of the other end',
  others:
    'in a fault: every server but the one whose event set it off; in a cut: every server but those of the other end',
} as const

export type Group = keyof typeof groups

/** A parsed selection and the words it came from. */
export class Selector {
  readonly text: string
  readonly pick: Pick

  constructor(text: string, pick: Pick) {
    this.text = text
    this.pick = pick
  }

  /** Its parts as they are named, one after the other. */
  parts(): readonly Selector[] {
    return this.pick.kind === 'union' ? this.pick.parts.map((part) => new Selector(this.text, part)) : [this]
  }
}

const examples = "write for example 'leader', 's2', 's1, s3' or 'one of followers'"

export function selectorOf(text: string): Result<Selector, string> {
  const pick = pickOf(text)
  return pick.ok ? ok(new Selector(text.trim(), pick.value)) : pick
}

export function selectorOfList(texts: readonly string[]): Result<Selector, string> {
  return selectorOf(texts.join(', '))
}

function pickOf(text: string): Result<Pick, string> {
  const words = text.trim()
  if (words.includes(',')) {
    const parts: Pick[] = []
    for (const part of words.split(',')) {
      const pick = pickOf(part)
      if (!pick.ok) return pick
      parts.push(pick.value)
    }
    return ok({ kind: 'union', parts })
  }
  const some = /^(one|half|\d+) of (?:the )?(.+)$/.exec(words)
  if (some !== null) {
    const of = pickOf(some[2] as string)
    if (!of.ok) return of
    const count = some[1] === 'half' ? 'half' : some[1] === 'one' ? 1 : Number(some[1])
    return count === 0 ? err(`'${words}' selects nothing: ${examples}`) : ok({ kind: 'some', count, of: of.value })
  }
  return simplePickOf(words)
}

function simplePickOf(words: string): Result<Pick, string> {
  const saved = /^\$\{([^}]+)\}$/.exec(words)
  if (saved !== null) return ok({ kind: 'saved', name: (saved[1] as string).trim() })
  if (words === 'it') return ok({ kind: 'it' })
  if (/^[sc][1-9]\d*$/.test(words)) return ok({ kind: 'node', name: words })
  const inDatacenter = /^([a-z][a-z0-9-]*)\/(.+)$/.exec(words)
  const datacenter = inDatacenter?.[1]
  const name = (inDatacenter?.[2] ?? words).replace(/^(?:all|the) /, '')
  if (isGroup(name)) return ok({ kind: 'group', group: name, datacenter })
  return err(words === '' ? `no node is named: ${examples}` : `'${words}' names no node: ${examples}`)
}

function isGroup(name: string): name is Group {
  return Object.hasOwn(groups, name)
}

/** Every part of a selection, nested ones included. */
export function* partsOf(pick: Pick): Iterable<Pick> {
  yield pick
  if (pick.kind === 'some') yield* partsOf(pick.of)
  if (pick.kind === 'union') for (const part of pick.parts) yield* partsOf(part)
}
