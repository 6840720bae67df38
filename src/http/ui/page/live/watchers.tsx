import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Check } from '../api/catalog-shapes.ts'
import { keyPath } from '../api/client.ts'
import type { Member } from '../api/cluster-shapes.ts'
import { useCaller } from './context.ts'
import {
  connectionHappening,
  healthHappenings,
  keyHappenings,
  leaderHappenings,
  memberHappenings,
  type WatchedKey,
} from './happenings.ts'
import type { Happening } from './ring.ts'
import { type Live, useLive } from './use-live.ts'

/** Checks that pass are of no interest here, and are most of them. */
const failing = { filter: 'Status != "passing"' }

export interface WatchersProps {
  /** Draws what every page shows of the leader. Without a leader that is a warning. */
  readonly children: (leader: Live<string>) => ComponentChildren
}

/**
 * Fills the ring for as long as the page is open, whatever it shows. Its requests are small: checks that fail, the leader,
 * the members.
 */
export function Watchers({ children }: WatchersProps) {
  const checks = useLive<readonly Check[]>('/v1/health/state/any', failing)
  const leader = useLive<string>('/v1/status/leader')
  const members = useLive<readonly Member[]>('/v1/agent/members')
  useChanges(checks.value, healthHappenings)
  useChanges(leader.value, leaderHappenings)
  useChanges(members.value, memberHappenings)
  useChanges(leader.answers === 0 ? undefined : leader.failure?.kind === 'unreachable', connectionHappening)
  const prefix = useWatchedPrefix()
  return (
    <>
      {prefix !== undefined && <KeyWatcher key={prefix} prefix={prefix} />}
      {children(leader)}
    </>
  )
}

function useWatchedPrefix(): string | undefined {
  const { ring } = useCaller()
  const [prefix, setPrefix] = useState(ring.watchedPrefix)
  useEffect(() => ring.follow(() => setPrefix(ring.watchedPrefix)), [ring])
  return prefix
}

function KeyWatcher({ prefix }: { readonly prefix: string }) {
  const { value, failure } = useLive<readonly WatchedKey[]>(keyPath(prefix), { recurse: '' })
  // No key below the prefix is an answer, too.
  useChanges(failure?.kind === 'absent' ? noKeys : value, keyHappenings)
  return null
}

const noKeys: readonly WatchedKey[] = []

/** Compares each value with the one before it. The first says nothing of changes. */
function useChanges<T>(value: T | undefined, changes: (before: T, now: T, atMs: number) => readonly Happening[]): void {
  const { ring } = useCaller()
  const before = useRef<T | undefined>(undefined)
  useEffect(() => {
    if (value === undefined) return
    const nowMs = Date.now()
    if (before.current !== undefined) ring.add(changes(before.current, value, nowMs), nowMs)
    before.current = value
  }, [value, ring])
}
