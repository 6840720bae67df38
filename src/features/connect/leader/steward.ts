import { utcText } from '../../../base/utc-text.ts'
import type { Closable, Deferred } from '../../../env/async.ts'
import { providerName } from '../../../model/naming/names.ts'
import type { ReadTransaction } from '../../../store/types.ts'
import { Joining } from '../federation/joining.ts'
import { tooLittleLine } from '../forecast.ts'
import { leafLeftMinMs, lookEveryMs, pruneMarginMs, retryFirstMs, retryMaxMs } from '../limits.ts'
import type { RootRow } from '../model.ts'
import { readOptions } from '../options.ts'
import { type AuthorityParts, failedBy, type Step } from '../parts.ts'
import type { OpenProviders } from '../provider/open-providers.ts'
import { reviewIntervalMs } from '../provider/provider.ts'
import { activeRoot, authorityOf, chainOf, openRotation, restoredOf, watchAuthority } from '../views.ts'
import { Bootstrap, nextToGoMs, pruneStep, reviewStep } from './roots.ts'
import { rotationStep } from './rotation.ts'

/**
 * Shortest pause. The difference of two times may be smaller than the clock's resolution: such a timer would end before
 * its task is due, again and again. No task here is that urgent.
 */
const restMinMs = 100

/**
 * Does the due tasks of the authority, one after the other, for as long as this server leads: begins the authority,
 * continues a rotation, removes old roots. A failure is reported and retried with growing pauses; it never ends
 * leadership.
 */
export class Steward implements Closable {
  readonly #parts: AuthorityParts
  readonly #providers: OpenProviders
  readonly #bootstrap: Bootstrap
  readonly #joining: Joining
  #problem = ''
  #hasLooked = false
  #pauseMs = retryFirstMs
  #reviewedMs: number
  #wake: (() => void) | undefined
  #closed = false

  constructor(parts: AuthorityParts, providers: OpenProviders) {
    this.#parts = parts
    this.#providers = providers
    this.#bootstrap = new Bootstrap(parts, providers)
    this.#joining = new Joining(parts, providers)
    this.#reviewedMs = parts.server.env.clock.monoMs()
    parts.server.env.detach(this.#run())
  }

  /** Why it cannot do what is due; empty if it can. */
  get problem(): string {
    // A datacenter that signs below another's root has this as its first problem: the others follow from it.
    const follows = authorityOf(this.#parts.server.read())?.primary !== ''
    const [first, second] = follows ? [this.#joining.problem, this.#problem] : [this.#problem, this.#joining.problem]
    return first === '' ? second : first
  }

  close(): void {
    this.#closed = true
    this.#wake?.()
  }

  /** Sets no gauges before the first look: unknown is not healthy. */
  measure(): void {
    if (!this.#hasLooked) return
    const { env } = this.#parts.server
    const root = activeRoot(this.#parts.server.read())
    env.metrics.gauge('connect.ca.healthy', this.#problem === '' ? 1 : 0)
    if (root === undefined) return
    env.metrics.gauge('connect.ca.root.expiry', Math.round((root.notAfterMs - env.clock.wallMs()) / 1000))
  }

  async #run(): Promise<void> {
    tellSettingsIgnored(this.#parts)
    tellRestored(this.#parts)
    while (!this.#closed) {
      // Opened before the step: a change during the step would otherwise be noticed only after the pause, which may be
      // an hour.
      const changed = this.#change()
      const step = await this.#step()
      if (this.#closed) return changed.close()
      if (step.kind === 'failed') this.#failed(step)
      else this.#went()
      this.#hasLooked = true
      this.measure()
      const mostMs = Math.min(lookEveryMs, this.#joining.restMs(this.#parts.server.read()))
      if (step.kind === 'idle') await this.#rest(Math.min(step.forMs, mostMs), changed)
      changed.close()
      if (step.kind === 'failed') await this.#rest(this.#nextPause(), this.#change())
    }
  }

  async #step(): Promise<Step> {
    const tx = this.#parts.server.read()
    const joining = await this.#joining.step(tx)
    if (joining !== undefined) return joining
    if (authorityOf(tx) === undefined) return this.#bootstrap.step()
    const nowMs = this.#parts.server.env.clock.wallMs()
    const nextMs = nextToGoMs(tx, this.#parts) ?? Number.POSITIVE_INFINITY
    // Also during a rotation, which may wait for the removal of a root.
    if (nextMs <= nowMs) return pruneStep(this.#parts, tx)
    const rotation = openRotation(tx)
    if (rotation === undefined) return this.#look(tx, nextMs - nowMs)
    const step = await rotationStep(this.#parts, this.#providers, tx, rotation)
    return step.kind === 'idle' ? { kind: 'idle', forMs: Math.min(step.forMs, nextMs - nowMs) } : step
  }

  /**
   * Nothing is due. The provider is checked nevertheless, so that an operator learns of a problem before the next leaf
   * is requested.
   */
  async #look(tx: ReadTransaction, forMs: number): Promise<Step> {
    const signer = await this.#providers.active(tx)
    if (!signer.ok) return failedBy(signer.error)
    const leftMs = this.#signsForMs(tx, signer.value.root)
    if (leftMs.forMs <= 0)
      return { kind: 'failed', by: 'time', message: tooLittleLine(leftMs.endMs, signer.value.authority) }
    if (signer.value.provider.review === undefined) return { kind: 'idle', forMs: Math.min(forMs, leftMs.forMs) }
    const nowMs = this.#parts.server.env.clock.monoMs()
    const dueMs = this.#reviewedMs + reviewIntervalMs - nowMs
    if (dueMs > 0) return { kind: 'idle', forMs: Math.min(forMs, dueMs, leftMs.forMs) }
    const step = await reviewStep(this.#parts, tx, signer.value)
    // A problem stays reported until it is fixed, so the next look comes soon.
    if (step.kind !== 'failed') this.#reviewedMs = nowMs
    return step
  }

  /** The lifetime of leaves that are signed below this root, and when their chain ends. */
  #signsForMs(tx: ReadTransaction, root: RootRow): { readonly forMs: number; readonly endMs: number } {
    const nowMs = this.#parts.server.env.clock.wallMs()
    const { endMs } = chainOf(tx, root, nowMs, this.#parts)
    return { forMs: endMs - leafLeftMinMs(this.#parts) - nowMs, endMs }
  }

  #failed({ by, message }: Extract<Step, { kind: 'failed' }>): void {
    const { metrics, log } = this.#parts.server.env
    if (by === 'provider') metrics.count('connect.ca.provider.failed')
    if (this.#problem !== message)
      log.write('warn', 'connect', 'the certificate authority is blocked', { why: message })
    this.#problem = message
  }

  #went(): void {
    this.#pauseMs = retryFirstMs
    if (this.#problem === '') return
    this.#parts.server.env.log.write('info', 'connect', 'the certificate authority continues')
    this.#problem = ''
  }

  #nextPause(): number {
    const pauseMs = this.#pauseMs
    this.#pauseMs = Math.min(pauseMs * 2, retryMaxMs)
    return pauseMs
  }

  /** Watches everything that could make a task due. */
  #change(): Change {
    const { server } = this.#parts
    const over = server.env.deferred<void>()
    const watching = server.watch(watchAuthority, () => over.resolve())
    return { over, close: () => watching.close() }
  }

  /** Waits until the time has passed or something has changed. */
  async #rest(forMs: number, { over, close }: Change): Promise<void> {
    const timer = this.#parts.server.env.timers.after(Math.max(restMinMs, forMs), () => over.resolve())
    this.#wake = () => over.resolve()
    await over.promise
    timer.close()
    close()
  }
}

interface Change extends Closable {
  readonly over: Deferred<void>
}

/** Once per leadership: an operator that has changed the file should not believe that it took effect. */
function tellSettingsIgnored({ server }: AuthorityParts): void {
  const authority = authorityOf(server.read())
  const { mesh, env } = server
  if (authority === undefined || mesh === undefined) return
  const given = readOptions(mesh.options)
  const isOther = providerName(server.naming, mesh.provider) !== authority.provider || !given.ok
  const saysMore = given.ok && Object.entries(given.value).some(([name, value]) => authority.options[name] !== value)
  if (!isOther && !saysMore) return
  const text = 'the settings of the certificate authority in the configuration have no effect: it exists already'
  env.log.write('info', 'connect', text, { provider: authority.provider })
}

/**
 * Once per leadership, and right after a restore, for as long as there may be leaves that the snapshot does not know.
 */
function tellRestored({ server, skewMs }: AuthorityParts): void {
  const { clock, log } = server.env
  const restored = restoredOf(server.read())
  if (restored === undefined || restored.leavesUntilMs + pruneMarginMs(skewMs) <= clock.wallMs()) return
  const text =
    'a snapshot was restored: old roots stay for leaves that it does not contain, and serial numbers start anew'
  const fields = { until: utcText(restored.leavesUntilMs), roots_lost: restored.lost.join(' ') }
  log.write(restored.lost.length === 0 ? 'info' : 'warn', 'connect', text, fields)
}
