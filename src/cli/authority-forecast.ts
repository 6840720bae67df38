import type { z } from 'zod'
import { parseDuration } from '../base/duration.ts'
import { msOfDigits } from '../pki/der-reader.ts'
import type { forecastSchema } from './api/connect-answers.ts'
import { formatTable } from './output.ts'

/** When the mesh's certificates expire, for people. */

export type Forecast = z.infer<typeof forecastSchema>

/** An active root with less time left than this is reported. */
const rootSoonMs = 60 * 86_400_000
/** The part of a leaf's lifetime that skew and back-dating may use up. */
const cutShortMs = 10 * 60_000

export function forecastText(forecast: Forecast): string {
  const { Provider, TrustDomain, State, LeafCertTTL, LeafExpires } = forecast
  const seen = whatToSeeTo(forecast)
  const sections = [
    formatTable([
      ['State', State],
      ['Provider', Provider || '-'],
      ['Trust domain', TrustDomain || '-'],
      ['A leaf lives', LeafCertTTL],
      ['Signed now, until', LeafExpires || '-'],
    ]),
    ...(forecast.Roots.length === 0 ? [] : [`Roots, the oldest first:\n${rootsTable(forecast)}`]),
    ...(forecast.Crossings.length === 0 ? [] : [`From newer roots to older ones:\n${crossingsTable(forecast)}`]),
    ...rotationSection(forecast),
    `A rotation now:\n${lines(rotationNow(forecast))}`,
    ...(seen.length === 0 ? [] : [`Needs attention:\n${lines(seen)}`]),
  ]
  return sections.join('\n')
}

/** Whether the authority fails to issue or renew certificates. */
export function isInTrouble({ State, LeafExpires }: Forecast): boolean {
  return State === 'degraded' || (State !== 'not-begun' && LeafExpires === '')
}

function rootsTable({ Roots }: Forecast): string {
  const rows = Roots.map((root) => [
    short(root.ID),
    root.Name,
    root.Active ? 'active' : 'old',
    root.Expires,
    root.Leaves.map(({ Datacenter, Expires }) => `${Expires} (${Datacenter})`).join(', ') || 'none signed',
    root.Active ? 'stays' : root.Goes || 'at once',
  ])
  return formatTable([['ID', 'Name', 'State', 'Expires', 'Last leaf expires', 'Goes'], ...rows])
}

function crossingsTable({ Crossings }: Forecast): string {
  const rows = Crossings.map(({ RootID, SignedByRootID, Expires }) => [short(RootID), short(SignedByRootID), Expires])
  return formatTable([['Root', 'Signed by', 'Expires'], ...rows])
}

function rotationSection({ Rotation }: Forecast): readonly string[] {
  if (Rotation === null) return []
  const { ID, Step, Provider, Started, Begins } = Rotation
  const waits = Begins === '' ? [] : [`begins ${Begins}, when a root has expired and there is room for a new one`]
  return [`A rotation is under way:\n${lines([`number ${ID}, to ${Provider}, since ${Started}: ${Step}`, ...waits])}`]
}

function rotationNow({ RotationNow: now }: Forecast): readonly string[] {
  if (!now.Possible) return [`is not possible: ${now.Why}`]
  return [
    ...(now.Begins === ''
      ? []
      : [`is accepted, and begins ${now.Begins}, when a root has expired and there is room for a new one`]),
    `lists ${now.Roots} roots, of which the new one signs from then on`,
    `sends ${now.CertificatesOfLeaf} certificates with each leaf, itself among them`,
    `keeps the root that is active now until ${now.OldRootGoes}, when each of its leaves has expired by any clock`,
    ...(now.LeavesHoldUntil === '' ? [] : [`signs leaves that hold until ${now.LeavesHoldUntil} at most`]),
  ]
}

/** What an operator should do, the most urgent first. */
export function whatToSeeTo(forecast: Forecast): readonly string[] {
  const { Problem, State, LeafExpires, LeafCertTTL, Now } = forecast
  const nowMs = msOfUtcText(Now)
  const active = forecast.Roots.find(({ Active }) => Active)
  const seen = Problem === '' ? [] : [Problem]
  if (State === 'not-begun') seen.push('the authority does not exist yet: a leader with the mesh enabled creates it')
  else if (LeafExpires === '') seen.push('no leaf can be signed: a certificate that goes with it expires too soon')
  const ttl = parseDuration(LeafCertTTL)
  if (LeafExpires !== '' && ttl.ok && msOfUtcText(LeafExpires) < nowMs + ttl.value - cutShortMs)
    seen.push(`leaves are cut short to ${LeafExpires}, when a certificate that goes with them expires`)
  if (active !== undefined && msOfUtcText(active.Expires) - nowMs < rootSoonMs)
    seen.push(`the active root expires at ${active.Expires}: rotate at least the lifetime of a leaf before`)
  return seen
}

/** A moment as answers of the API write it; NaN: not a moment. */
export function msOfUtcText(text: string): number {
  return msOfDigits(text.replace(/[-:TZ]/g, '')) ?? Number.NaN
}

function lines(texts: readonly string[]): string {
  return texts.map((text) => `  - ${text}\n`).join('')
}

/** Enough of an ID to tell one from the others. */
function short(id: string): string {
  return id.slice(0, 11)
}
