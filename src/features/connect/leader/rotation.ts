import { err, ok, type Result } from '../../../base/result.ts'
import { utcText } from '../../../base/utc-text.ts'
import { isBuiltInProvider } from '../../../model/naming/names.ts'
import { readCertificates } from '../../../pki/certificate.ts'
import type { ReadTransaction } from '../../../store/types.ts'
import { takeSerialNumbers } from '../commands.ts'
import type { RootFacts } from '../fields.ts'
import { wholeSecond } from '../forecast.ts'
import { type MeshTimes, rootWithinMs } from '../limits.ts'
import type { RootRow } from '../model.ts'
import { type AuthorityParts, did, failedBy, notReplicated, type Step } from '../parts.ts'
import { crossingFactsOf } from '../provider/facts.ts'
import type { OpenProviders } from '../provider/open-providers.ts'
import { type CrossingWish, type ProviderFailure, providedWithin } from '../provider/provider.ts'
import { rotationActivate, rotationCrossed, rotationRefused, rotationRequested } from '../rotation-commands.ts'
import type { RotationRow } from '../tables.ts'
import { activeRoot, authorityOf, lastLeafExpiry, roomFromMs, signerOf, waitsForRoom } from '../views.ts'

/**
 * One step of a rotation, from the state in its row. No step needs anything outside the replicated state, so another
 * leader can continue. Until the last step the old root signs. Spec: CA-020, CA-028.
 */
export async function rotationStep(
  parts: AuthorityParts,
  providers: OpenProviders,
  tx: ReadTransaction,
  row: RotationRow,
): Promise<Step> {
  const active = activeRoot(tx)
  if (active === undefined || authorityOf(tx) === undefined) {
    return failedBy({ kind: 'refused', message: 'there is no active root to rotate from' })
  }
  if (row.root === null || row.step === 'begun') {
    const forMs = roomFromMs(tx, parts) - parts.server.env.clock.wallMs()
    return forMs > 0 ? { kind: 'idle', forMs } : request(parts, providers, tx, row)
  }
  if (row.step === 'requested' && asksForCrossing(parts, row, active)) {
    return cross(parts, providers, tx, { row, root: row.root, active })
  }
  return activate(parts, providers, tx, row)
}

/** `rotationActivate` explains the rotations without a crossing. */
function asksForCrossing(parts: AuthorityParts, { root, uncrossed }: RotationRow, active: RootRow): boolean {
  return root?.id !== active.id && !uncrossed && active.of === '' && !isOver(parts, active)
}

/**
 * Whether a rotation has nothing left to do but wait: until there is room for its root, or until every clock accepts
 * it.
 */
export function onlyWaits(parts: AuthorityParts, tx: ReadTransaction, row: RotationRow): boolean {
  if (row.root === null) return waitsForRoom(tx, row, parts)
  return isPrepared(parts, tx, row) && usableFromMs(parts, row, row.root) > parts.server.env.clock.wallMs()
}

/**
 * Whether the new root is recorded, and its crossing is made if it needs one: the caller can be told that the change is
 * accepted.
 */
export function isPrepared(parts: AuthorityParts, tx: ReadTransaction, row: RotationRow): boolean {
  const active = activeRoot(tx)
  if (row.root === null || active === undefined) return false
  return row.step === 'crossed' || !asksForCrossing(parts, row, active)
}

/** 1. The request: the new root's own certificate, whose subject and key the old root is to sign. */
async function request(
  { server }: AuthorityParts,
  providers: OpenProviders,
  tx: ReadTransaction,
  row: RotationRow,
): Promise<Step> {
  const authority = authorityOf(tx)
  if (authority === undefined) return did
  const serial = await server.propose(takeSerialNumbers, { count: 1 })
  if (!serial.ok) return notReplicated(serial.error)
  const made = await providers.rootOf(row.provider, row.options, authority, serial.value.first)
  if (!made.ok && made.error.kind === 'unavailable') return failedBy(made.error)
  const root = made.ok ? longEnough(tx, made.value) : made
  if (!root.ok) return refuse(server, row, root.error)
  const recorded = await server.propose(rotationRequested, { rotation: row.id, root: root.value })
  if (!recorded.ok) return notReplicated(recorded.error)
  if (recorded.value) tell(server.env, row, 'there is a new root', { root: root.value.id })
  return did
}

async function refuse(
  server: AuthorityParts['server'],
  { id, provider }: RotationRow,
  { message: why }: ProviderFailure,
): Promise<Step> {
  const recorded = await server.propose(rotationRefused, { rotation: id, why: why.slice(0, 1_024) })
  if (!recorded.ok) return notReplicated(recorded.error)
  const fields = { rotation: id, provider, why }
  server.env.log.write('warn', 'connect', 'the new provider refused: the rotation is cancelled', fields)
  return did
}

/** A crossing ends with the new root, and must be valid for as long as the old root's leaves. */
function longEnough(tx: ReadTransaction, root: RootFacts): Result<RootFacts, ProviderFailure> {
  const last = lastLeafExpiry(tx, activeRoot(tx)?.id ?? '') ?? 0
  if (root.notAfterMs >= last) return ok(root)
  const message = `the new root expires ${utcText(root.notAfterMs)}, before the last leaf of the old one, ${utcText(last)}`
  return err({ kind: 'refused', message })
}

interface Crossing {
  readonly row: RotationRow
  readonly root: RootFacts
  readonly active: RootRow
}

/** 2. The old root signs it. */
async function cross(
  parts: AuthorityParts,
  providers: OpenProviders,
  tx: ReadTransaction,
  { row, root, active }: Crossing,
): Promise<Step> {
  const { server } = parts
  // Leaves that were signed since the root was recorded may outlive it.
  const lasting = longEnough(tx, root)
  if (!lasting.ok) return refuse(server, row, lasting.error)
  const signer = await providers.active(tx)
  if (!signer.ok) return failedBy(signer.error)
  const serial = await server.propose(takeSerialNumbers, { count: 1 })
  if (!serial.ok) return notReplicated(serial.error)
  const wish = crossingWish(parts, root, active, serial.value.first)
  const signed = await providedWithin(server.env, rootWithinMs, signer.value.provider.crossSign(wish))
  if (!signed.ok) return failedBy(signed.error)
  const crossing = crossingFactsOf(signed.value, root.certificate)
  if (!crossing.ok) return failedBy(crossing.error)
  if (crossing.value.notAfterMs < (lastLeafExpiry(server.read(), active.id) ?? 0)) {
    return failedBy({
      kind: 'unavailable',
      message: 'the certificate that the old root signed expires before its last leaf does',
    })
  }
  const body = { rotation: row.id, byRootId: active.id, crossing: crossing.value }
  const recorded = await server.propose(rotationCrossed, body)
  if (!recorded.ok) return notReplicated(recorded.error)
  tell(server.env, row, 'the old root has signed the new one', { root: root.id, by: active.id })
  return did
}

/** The crossing is valid for as long as both roots: no chain through it is shortened by anything else. */
function crossingWish(
  { server, skewMs }: AuthorityParts,
  root: RootFacts,
  active: RootRow,
  serial: string,
): CrossingWish {
  const notBeforeMs = wholeSecond(server.env.clock.wallMs() - skewMs)
  const notAfterMs = Math.min(active.notAfterMs, root.notAfterMs)
  return { rootCertificate: root.certificate, serial, notBeforeMs, notAfterMs }
}

/**
 * 3. The new root becomes active, once its provider can sign with it and every clock accepts it. Certificates of the
 *    built-in provider are back-dated by the skew, so they are accepted at once; those of an operator or a secrets
 *    manager may have begun a moment ago.
 */
async function activate(
  parts: AuthorityParts,
  providers: OpenProviders,
  tx: ReadTransaction,
  row: RotationRow,
): Promise<Step> {
  const { server } = parts
  const authority = authorityOf(tx)
  if (authority === undefined || row.root === null) return did
  const there = await providers.rootOf(row.provider, row.options, authority, '0', row.root)
  if (isReplaced(tx, row.root, there)) return request(parts, providers, tx, row)
  if (!there.ok) return failedBy(there.error)
  if (there.value.id !== row.root.id) return failedBy({ kind: 'refused', message: 'the provider has another root' })
  const nowMs = server.env.clock.wallMs()
  const waitMs = usableFromMs(parts, row, there.value) - nowMs
  if (waitMs > 0) return { kind: 'idle', forMs: waitMs }
  const othersUntilMs = authority.primary === '' ? 0 : nowMs + lifeOfAuthority(tx)
  const active = activeRoot(tx)
  const oldIsOver = active !== undefined && isOver({ server }, active)
  const activated = await server.propose(rotationActivate, { rotation: row.id, nowMs, oldIsOver, othersUntilMs })
  if (!activated.ok) return notReplicated(activated.error)
  if (activated.value === 'activated') tell(server.env, row, 'the new root is active', { root: row.root.id })
  return did
}

/**
 * Whether the provider has another root by now, or none, so that the recorded one can never sign: the rotation begins
 * again with what the provider has. The active root is never made anew.
 */
function isReplaced(tx: ReadTransaction, { id }: RootFacts, there: Result<RootFacts, ProviderFailure>): boolean {
  if (id === activeRoot(tx)?.id) return false
  return there.ok ? there.value.id !== id : there.error.isGone === true
}

/**
 * The built-in provider still signs by an expired root; an external provider does not, and no verifier trusts such a
 * root.
 */
function isOver({ server }: Pick<AuthorityParts, 'server'>, { provider, notAfterMs }: RootRow): boolean {
  return !isBuiltInProvider(provider) && notAfterMs <= server.env.clock.wallMs()
}

/**
 * From when on the new root, its provider's intermediates and the crossing are valid for every clock that is slow by at
 * most the skew.
 */
function usableFromMs(
  { skewMs }: Pick<MeshTimes, 'skewMs'>,
  { crossing }: Pick<RotationRow, 'crossing'>,
  { notBeforeMs, ownIntermediates }: RootFacts,
): number {
  const between = ownIntermediates.flatMap((pem) => {
    const read = readCertificates(pem)
    return read.ok ? read.value.map(({ notBeforeMs }) => notBeforeMs) : []
  })
  return Math.max(notBeforeMs, crossing?.notBeforeMs ?? 0, ...between) + skewMs
}

/**
 * The lifetime of the authority that the former primary datacenter signed for this one: those for other datacenters
 * live as long.
 */
function lifeOfAuthority(tx: ReadTransaction): number {
  const signer = signerOf(tx, activeRoot(tx)?.id ?? '')
  const read = readCertificates(signer?.ownIntermediates[0] ?? '')
  const [own] = read.ok ? read.value : []
  return own === undefined ? 0 : own.notAfterMs - own.notBeforeMs
}

function tell(
  { log, metrics }: AuthorityParts['server']['env'],
  { id, provider }: RotationRow,
  what: string,
  fields: Readonly<Record<string, string>>,
): void {
  metrics.count('connect.ca.rotation.step')
  log.write('info', 'connect', what, { rotation: id, provider, ...fields })
}
