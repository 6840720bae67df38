import { err, ok, type Result } from '../../src/base/result.ts'

/**
 * Which nodes a scenario selects. Names and words are joined in plain language: `leader`, `one of followers`,
 * `dc1/servers`, `half of others`, `others of leader`, `s1, s3`, `${old leader}`.
 */
export type Pick =
  | { readonly kind: 'node'; readonly name: string }
  | { readonly kind: 'saved'; readonly name: string }
  /** The node whose event triggered a fault. */
  | { readonly kind: 'it' }
  | { readonly kind: 'group'; readonly group: Group; readonly datacenter: string | undefined }
  /** `count` of them, chosen at random. */
  | { readonly kind: 'some'; readonly count: number | 'half'; readonly of: Pick }
  /** Every server, or every agent, except these; of one datacenter if it is named. */
  | { readonly kind: 'rest'; readonly group: RestGroup; readonly of: Pick; readonly datacenter: string | undefined }
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
    'in a fault: every agent but the one whose event set it off; in a cut: every agent but those of the other end; in groups of a partition: every agent that no other group has',
  others:
    'in a fault: every server but the one whose event set it off; in a cut: every server but those of the other end; in groups of a partition: every server that no other group has',
} as const

export type Group = keyof typeof groups
type RestGroup = 'others' | 'other nodes'

/** Selections that are made of another one, as the language page shows them. */
export const joinedSelections = {
  'one of …': 'one of these, drawn from the seed; so 2 of …, half of …',
  'others of …':
    "every server but these: 'others of leader', 'others of s1, s2' (all that follows belongs to it), 'dc1/others of leader'",
  'other nodes of …': 'every agent, servers and clients, but these',
} as const

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

/** Each item is a selection by itself: what `others of` leaves out ends with its item. */
export function selectorOfList(texts: readonly string[]): Result<Selector, string> {
  const pick = unionOf(texts)
  return pick.ok ? ok(new Selector(texts.map((text) => text.trim()).join(', '), pick.value)) : pick
}

/** `s1, s2` and `[s1, s2]` are the same: a union in a union gives its parts to the one around it. */
function unionOf(texts: readonly string[]): Result<Pick, string> {
  const parts: Pick[] = []
  for (const text of texts) {
    const pick = pickOf(text)
    if (!pick.ok) return pick
    parts.push(...(pick.value.kind === 'union' ? pick.value.parts : [pick.value]))
  }
  return ok(parts.length === 1 ? (parts[0] as Pick) : { kind: 'union', parts })
}

function pickOf(text: string): Result<Pick, string> {
  const words = text.trim()
  const parts = partsNamed(words)
  if (parts.length > 1) return unionOf(parts)
  const some = /^(one|half|\d+) of (?:the )?(.+)$/.exec(words)
  if (some !== null) {
    const of = pickOf(some[2] as string)
    if (!of.ok) return of
    const count = some[1] === 'half' ? 'half' : some[1] === 'one' ? 1 : Number(some[1])
    return count === 0 ? err(`'${words}' selects nothing: ${examples}`) : ok({ kind: 'some', count, of: of.value })
  }
  const rest = /^(?:([a-z][a-z0-9-]*)\/)?(?:all |the )?(others|other nodes) of (?:the )?(.+)$/.exec(words)
  if (rest !== null) {
    const of = pickOf(rest[3] as string)
    return of.ok ? ok({ kind: 'rest', group: rest[2] as RestGroup, of: of.value, datacenter: rest[1] }) : of
  }
  return simplePickOf(words)
}

/** What stands between commas. From the first `others of` on everything is one part: 's1, others of s2, s3'. */
function partsNamed(words: string): readonly string[] {
  const parts = words.split(',')
  const rest = parts.findIndex((part) => /(?:^|[\s/])other(?:s| nodes) of\s/.test(part))
  return rest === -1 ? parts : [...parts.slice(0, rest), parts.slice(rest).join(',')]
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
  if (pick.kind === 'some' || pick.kind === 'rest') yield* partsOf(pick.of)
  if (pick.kind === 'union') for (const part of pick.parts) yield* partsOf(part)
}
