import { z } from 'zod'
import { utcText } from '../../base/utc-text.ts'
import type { ReadTransaction } from '../../store/types.ts'
import { indexValue, listOf } from '../http/declared.ts'
import { leafLeftMinMs, type MeshTimes } from './limits.ts'
import type { AuthorityForecast, AuthorityRow, ForecastRoot, RootRow, RotationForecast } from './model.ts'
import { hoursText, leafTtlMs } from './options.ts'
import {
  activeRoot,
  allCrossings,
  authorityOf,
  chainOf,
  crossingsBehind,
  goesMs,
  leavesOf,
  openRotation,
  roomFromMs,
  rootsByAge,
  signerOf,
} from './views.ts'

/** The inputs of the forecast besides the state. */
export interface ForecastBasis extends MeshTimes {
  /** The leader's wall clock. */
  readonly nowMs: number
  /** Why the leader cannot do what is due; empty if it can. */
  readonly problem: string
}

export function forecastOf(tx: ReadTransaction, { problem, ...basis }: ForecastBasis): AuthorityForecast {
  const { nowMs } = basis
  const authority = authorityOf(tx)
  const rotation = openRotation(tx)
  const active = activeRoot(tx)
  const leafMs = authority === undefined ? 0 : leafTtlMs(authority.options)
  const leafExpiresMs = active === undefined ? 0 : leafExpiry(tx, active, { ...basis, ttlMs: leafMs })
  const signsNothing = active !== undefined && leafExpiresMs === 0
  const why =
    problem === '' && signsNothing ? tooLittleLine(chainOf(tx, active, nowMs, basis).endMs, authority) : problem
  const state = why !== '' ? 'degraded' : authority === undefined ? 'not-begun' : 'ready'
  return {
    nowMs,
    state: state === 'ready' && rotation !== undefined ? 'rotating' : state,
    problem: why,
    provider: authority?.provider ?? '',
    trustDomain: authority?.trustDomain ?? '',
    leafTtlMs: leafMs,
    leafExpiresMs,
    roots: [...rootsByAge(tx)].map((root) => forecastRoot(tx, root, basis)),
    crossings: [...allCrossings(tx)].map(({ rootId, byRootId, notAfterMs }) => ({
      rootId,
      byRootId,
      expiresMs: notAfterMs,
    })),
    rotation:
      rotation === undefined
        ? null
        : {
            id: rotation.id,
            step: rotation.step,
            provider: rotation.provider,
            startedMs: rotation.startedMs,
            beginsMs: rotation.root === null ? roomFromMs(tx, basis) : 0,
          },
    rotationNow: rotationForecast(tx, active, basis),
  }
}

/**
 * When a leaf signed now expires: no later than its chain and the root. In whole seconds, as in certificates. 0: too
 * little lifetime would be left.
 */
export function leafExpiry(
  tx: ReadTransaction,
  root: RootRow,
  { nowMs, ttlMs, ...times }: MeshTimes & { readonly nowMs: number; readonly ttlMs: number },
): number {
  const expiresMs = wholeSecond(
    Math.min(wholeSecond(nowMs - times.skewMs) + ttlMs, chainOf(tx, root, nowMs, times).endMs),
  )
  return expiresMs - nowMs < leafLeftMinMs(times) ? 0 : expiresMs
}

/** Why nothing is signed any more below a chain that ends at that time. */
export function tooLittleLine(endMs: number, { primary = '' }: Partial<Pick<AuthorityRow, 'primary'>> = {}): string {
  const what =
    primary === ''
      ? 'rotate to another root'
      : `the signing certificate of this datacenter must be renewed in ${primary}`
  const remedy = `no leaf certificate would be valid for long enough: ${what}`
  return `the active root, or a certificate that is sent with its leaves, expires ${utcText(endMs)}, and ${remedy}`
}

export function wholeSecond(ms: number): number {
  return Math.floor(ms / 1000) * 1000
}

function forecastRoot(tx: ReadTransaction, root: RootRow, times: MeshTimes): ForecastRoot {
  const { id, name, provider, active, notAfterMs: expiresMs } = root
  const leaves = [...leavesOf(tx, id)].map((row) => ({ datacenter: row.datacenter, expiresMs: row.expiresMs }))
  return { id, name, provider, active, expiresMs, leaves, goesMs: active ? 0 : goesMs(tx, root, times) }
}

function rotationForecast(
  tx: ReadTransaction,
  active: RootRow | undefined,
  { nowMs, ...times }: Omit<ForecastBasis, 'problem'>,
): RotationForecast {
  const listed = [...rootsByAge(tx)]
  const crossings = active === undefined ? [] : crossingsBehind(tx, active)
  const why = whyNoRotation(tx, active)
  const fromMs = roomFromMs(tx, times)
  const behind = crossings.reduce((count, { certificates }) => count + certificates.length, 0)
  return {
    possible: why === '',
    why,
    beginsMs: fromMs,
    roots: listed.length + 1,
    certificates: 2 + behind,
    oldRootGoesMs: active === undefined ? 0 : goesMs(tx, { ...active, replacedMs: nowMs }, times),
    leavesHoldMs: crossings.reduce((end, { notAfterMs }) => Math.min(end, notAfterMs), active?.notAfterMs ?? 0),
  }
}

function whyNoRotation(tx: ReadTransaction, active: RootRow | undefined): string {
  if (active === undefined) return 'the authority does not exist yet'
  if (openRotation(tx) !== undefined) return 'a rotation is under way'
  if (signerOf(tx, active.id) === undefined) return 'it is not known how the active root signs'
  return ''
}

const moment = z.string().meta({ description: 'A date; empty where there is none.' })

/** Names in the form of the rest of the API. */
export const forecastShape = z
  .strictObject({
    Now: moment,
    State: z.enum(['not-begun', 'ready', 'rotating', 'degraded']),
    Problem: z.string(),
    Provider: z.string(),
    TrustDomain: z.string(),
    LeafCertTTL: z.string(),
    LeafExpires: moment,
    Roots: listOf(
      z.strictObject({
        ID: z.string(),
        Name: z.string(),
        Provider: z.string(),
        Active: z.boolean(),
        Expires: moment,
        Leaves: listOf(z.strictObject({ Datacenter: z.string(), Expires: moment })),
        Goes: moment,
      }),
    ),
    Crossings: listOf(z.strictObject({ RootID: z.string(), SignedByRootID: z.string(), Expires: moment })),
    Rotation: z
      .strictObject({ ID: indexValue, Step: z.string(), Provider: z.string(), Started: moment, Begins: moment })
      .nullable(),
    RotationNow: z.strictObject({
      Possible: z.boolean(),
      Why: z.string(),
      Begins: moment,
      Roots: z.number(),
      CertificatesOfLeaf: z.number(),
      OldRootGoes: moment,
      LeavesHoldUntil: moment,
    }),
  })
  .meta({ id: 'MeshForecast' })

export function forecastJson(forecast: AuthorityForecast): z.infer<typeof forecastShape> {
  const { rotation, rotationNow } = forecast
  return {
    Now: dateOf(forecast.nowMs),
    State: forecast.state,
    Problem: forecast.problem,
    Provider: forecast.provider,
    TrustDomain: forecast.trustDomain,
    LeafCertTTL: hoursText(forecast.leafTtlMs),
    LeafExpires: dateOf(forecast.leafExpiresMs),
    Roots: forecast.roots.map((root) => ({
      ID: root.id,
      Name: root.name,
      Provider: root.provider,
      Active: root.active,
      Expires: dateOf(root.expiresMs),
      Leaves: root.leaves.map(({ datacenter, expiresMs }) => ({ Datacenter: datacenter, Expires: dateOf(expiresMs) })),
      Goes: dateOf(root.goesMs),
    })),
    Crossings: forecast.crossings.map(({ rootId, byRootId, expiresMs }) => ({
      RootID: rootId,
      SignedByRootID: byRootId,
      Expires: dateOf(expiresMs),
    })),
    Rotation:
      rotation === null
        ? null
        : {
            ID: rotation.id,
            Step: rotation.step,
            Provider: rotation.provider,
            Started: dateOf(rotation.startedMs),
            Begins: dateOf(rotation.beginsMs),
          },
    RotationNow: {
      Possible: rotationNow.possible,
      Why: rotationNow.why,
      Begins: dateOf(rotationNow.beginsMs),
      Roots: rotationNow.roots,
      CertificatesOfLeaf: rotationNow.certificates,
      OldRootGoes: dateOf(rotationNow.oldRootGoesMs),
      LeavesHoldUntil: dateOf(rotationNow.leavesHoldMs),
    },
  }
}

function dateOf(ms: number): string {
  return ms <= 0 ? '' : utcText(ms)
}
