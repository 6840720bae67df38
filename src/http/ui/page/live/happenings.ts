import type { Check } from '../api/catalog-shapes.ts'
import { type Member, memberStatus } from '../api/cluster-shapes.ts'
import { hrefOf } from '../place/place.ts'
import { happeningWords as words } from '../words/happening-words.ts'
import type { Happening } from './ring.ts'

/** What changed between two answers about checks that do not pass. */
export function healthHappenings(before: readonly Check[], now: readonly Check[], atMs: number): readonly Happening[] {
  const old = byKey(before)
  const young = byKey(now)
  const worse = now.filter((check) => old.get(checkKey(check))?.Status !== check.Status)
  const better = before.filter((check) => !young.has(checkKey(check)))
  return [
    ...worse.map((check) => of(check, words.became(check.CheckID, whose(check), check.Status), atMs)),
    ...better.map((check) => of(check, words.recovered(check.CheckID, whose(check)), atMs)),
  ]
}

function of(check: Check, text: string, atMs: number): Happening {
  const { ServiceName, Node } = check
  return {
    atMs,
    kind: 'health',
    text,
    href: ServiceName === '' ? hrefOf('nodes', Node) : hrefOf('services', ServiceName),
    check: checkKey(check),
  }
}

function whose({ ServiceID, Node }: Check): string {
  return ServiceID === '' ? Node : `${ServiceID} on ${Node}`
}

/** A check in the datacenter. */
export function checkKey({ Node, CheckID }: Pick<Check, 'Node' | 'CheckID'>): string {
  return `${Node} ${CheckID}`
}

function byKey(checks: readonly Check[]): ReadonlyMap<string, Check> {
  return new Map(checks.map((check) => [checkKey(check), check]))
}

export function leaderHappenings(before: string, now: string, atMs: number): readonly Happening[] {
  if (before === now) return []
  const text = now === '' ? words.noLeader(before) : words.leads(now)
  return [{ atMs, kind: 'leader', text, href: hrefOf('cluster') }]
}

export function memberHappenings(
  before: readonly Member[],
  now: readonly Member[],
  atMs: number,
): readonly Happening[] {
  const old = new Map(before.map((member) => [member.Name, memberStatus(member)]))
  const names = new Set(now.map(({ Name }) => Name))
  const changed = now.filter((member) => old.get(member.Name) !== memberStatus(member))
  const gone = before.filter(({ Name }) => !names.has(Name))
  const href = hrefOf('cluster')
  return [
    ...changed.map((member): Happening => {
      const text = old.has(member.Name)
        ? words.memberIs(member.Name, memberStatus(member))
        : words.memberNew(member.Name, memberStatus(member))
      return { atMs, kind: 'member', text, href }
    }),
    ...gone.map(({ Name }): Happening => ({ atMs, kind: 'member', text: words.memberGone(Name), href })),
  ]
}

export function connectionHappening(before: boolean, now: boolean, atMs: number): readonly Happening[] {
  if (before === now) return []
  return [{ atMs, kind: 'connection', text: now ? words.agentGone : words.agentBack }]
}

/** A key as it is watched: what it is, and when it last changed. */
export interface WatchedKey {
  readonly Key: string
  readonly ModifyIndex: number
  readonly Session?: string
}

export function keyHappenings(
  before: readonly WatchedKey[],
  now: readonly WatchedKey[],
  atMs: number,
): readonly Happening[] {
  const old = new Map(before.map((entry) => [entry.Key, entry]))
  const names = new Set(now.map(({ Key }) => Key))
  const gone = before.filter(({ Key }) => !names.has(Key))
  const changes = now.flatMap((entry) => {
    const text = keyChange(old.get(entry.Key), entry)
    return text === undefined ? [] : [keyHappening(entry.Key, text, atMs)]
  })
  return [...changes, ...gone.map(({ Key }) => keyHappening(Key, words.keyDeleted(Key), atMs))]
}

function keyChange(old: WatchedKey | undefined, { Key, ModifyIndex, Session }: WatchedKey): string | undefined {
  if (old === undefined) return words.keyCreated(Key, ModifyIndex)
  if (old.ModifyIndex === ModifyIndex) return undefined
  if (old.Session === Session) return words.keyChanged(Key, ModifyIndex)
  return Session === undefined ? words.keyReleased(Key) : words.keyLocked(Key, Session)
}

function keyHappening(key: string, text: string, atMs: number): Happening {
  return { atMs, kind: 'key', text, href: hrefOf('keys', 'key', key) }
}
