import { invariant } from '../../src/base/invariant.ts'
import { err, ok, type Result } from '../../src/base/result.ts'
import { loadAllCommands } from '../../src/cli/load-all.ts'
import { performAct, type Told } from '../scenario/played/acts.ts'
import { placeNow, reachPlace } from '../scenario/played/play-again.ts'
import { actsMax, type Place, placeOf } from '../scenario/played/played-schema.ts'
import type { Platform } from '../world/platform.ts'
import { type DoneAct, type GivenAct, readAct } from './acts-done.ts'
import type { PlayBusy, PlayUndo } from './play-api.ts'
import { savedPage } from './saved-page.ts'
import { actsWithTokens } from './secrets.ts'
import { type Played, PlayWorld } from './world.ts'

export interface SessionOptions extends Played {
  readonly createPlatform: () => Platform
  /** Compresses pieces of pictures. Without it the session makes none, and is faster. */
  readonly gzip?: ((bytes: Uint8Array) => Uint8Array) | undefined
  readonly eventsMax?: number | undefined
  readonly actCharsMax?: number | undefined
}

/** Maximum number of events of one world: its pictures and its checkers take memory for each. */
const eventsUsual = 3_000_000
/** Maximum number of characters of all acts in the form of a page: a request is kept with its body. */
const actCharsUsual = 64 << 20

/** Receives an answer between two turns of the world. */
export type Hear = (told: Told) => void

/**
 * A cluster with everything that was done to it. Each act is kept with its place, so that the same world can be rebuilt
 * up to any moment. Acts are performed only while no turn of the world is open: see `Conductor`.
 */
export class Session {
  readonly #options: SessionOptions
  #world: PlayWorld
  #acts: DoneAct[] = []
  #actChars = 0
  /** Callbacks for answers that arrived in turns of the world. */
  #answered: (() => void)[] = []
  #busy: PlayBusy | undefined
  #number = 1
  #version = 1

  constructor(options: SessionOptions) {
    this.#options = options
    this.#world = this.#newWorld()
  }

  get world(): PlayWorld {
    return this.#world
  }

  get acts(): readonly DoneAct[] {
    return this.#acts
  }

  get nodes(): readonly string[] {
    return this.#world.run.cluster.nodeNames
  }

  get events(): number {
    return this.#world.run.simulation.turns
  }

  /** Number of the world, counted from 1: it grows whenever the world is rebuilt. */
  get number(): number {
    return this.#number
  }

  /** Grows with every change. */
  get version(): number {
    return this.#version + this.events
  }

  get busy(): PlayBusy | undefined {
    return this.#busy && { ...this.#busy, nowUs: this.#world.nowUs }
  }

  /** Why time stands still for good, unless something is undone. */
  failure(): { readonly atUs: number; readonly text: string } | undefined {
    const { eventsMax = eventsUsual } = this.#options
    const broken = this.#world.failure()
    if (broken !== undefined) return broken
    if (this.events < eventsMax) return undefined
    return { atUs: this.#world.nowUs, text: `a session has at most ${eventsMax} events: save it, or go back` }
  }

  /** Starts every agent; for a page of a session, repeats everything on it. */
  async begin(): Promise<void> {
    await loadAllCommands()
    const { played } = this.#options.loaded.scenario
    if (played === undefined) {
      await this.#world.run.begin()
      return
    }
    const { document } = this.#options.loaded
    const given = (document.value as { readonly played: { readonly acts: readonly GivenAct[] } }).played.acts
    const acts = played.acts.map((act, at): DoneAct => {
      const { at: _, after: __, ...rest } = given[at] ?? {}
      return { given: rest, act, place: placeOf(act), text: '', hashBefore: undefined }
    })
    await this.#replay(acts, placeOf(played.ends))
  }

  /** Performs an act now. `hear` receives its answer, once time has passed. */
  act(given: GivenAct, hear: Hear = () => undefined): Result<DoneAct, string> {
    const failure = this.failure()
    if (failure !== undefined) return err(`time stands still, for ${failure.text}`)
    if (this.#acts.length >= actsMax) return err(`a session has at most ${actsMax} acts: save it, or go back`)
    const { actCharsMax = actCharsUsual } = this.#options
    const chars = charsOf(given)
    if (this.#actChars + chars > actCharsMax)
      return err(`the acts of a session have at most ${actCharsMax} characters: save it, or go back`)
    const place = placeNow(this.#world.run)
    const read = readAct(given, place, this.nodes)
    if (!read.ok) return read
    const hashBefore = this.#world.hash
    const done = performAct(this.#world.run, read.value, this.#acts.length, this.#told(hear))
    if (!done.ok) return done
    this.#world.run.tell('fault', done.value)
    const act = { given, act: read.value, place, text: done.value, hashBefore }
    this.#acts.push(act)
    this.#actChars += chars
    this.#version++
    return ok(act)
  }

  /** Lets time pass, up to an answer or until `isDue`; at least one event happens, or the time passes. */
  async pass(ms: number, isDue: () => boolean): Promise<void> {
    if (this.failure() !== undefined) return
    const { eventsMax = eventsUsual } = this.#options
    const isOver = (): boolean => this.#answered.length > 0 || this.events >= eventsMax || isDue()
    await this.#world.run.passUntil(isOver, Math.max(ms, 0.001))
    this.hear()
  }

  /** Passes answers on, between turns. */
  hear(): void {
    for (const tell of this.#answered.splice(0)) tell()
  }

  /** Which acts remain after this undo, and the place of the world then; or why it is not possible. */
  before(undo: PlayUndo): Result<{ readonly kept: number; readonly place: Place }, string> {
    if ('toUs' in undo) {
      if (undo.toUs > this.#world.nowUs) return err('that time is still to come: let time pass to it')
      const kept = this.#acts.filter(({ place }) => place.atUs <= undo.toUs).length
      return ok({ kept, place: { atUs: undo.toUs } })
    }
    const number = 'act' in undo ? undo.act : this.#acts.length
    const act = this.#acts[number - 1]
    if (act !== undefined) return ok({ kept: number - 1, place: act.place })
    return err(this.#acts.length === 0 ? 'nothing was done that could be undone' : `there is no act ${number}`)
  }

  /** Rebuilds the world with the first acts, up to a place. */
  async goBack({ kept, place }: { readonly kept: number; readonly place: Place }): Promise<void> {
    const next = this.#acts[kept]
    this.#world.drop()
    this.#answered = []
    this.#world = this.#newWorld()
    this.#number++
    await this.#replay(this.#acts.slice(0, kept), place)
    const isAtAct = next !== undefined && next.place.atUs === place.atUs && next.place.after === place.after
    if (isAtAct && next.hashBefore !== undefined) this.#isAsBefore(next.hashBefore, kept)
  }

  /** How many acts hold a token, which then stands in the saved page. */
  get actsWithTokens(): number {
    return actsWithTokens(this.#acts.map(({ given }) => given))
  }

  /** The text of a page that repeats the session. */
  saved(): string {
    const { loaded, seed, build } = this.#options
    const { acts } = this
    return savedPage({ loaded, seed, build, acts, ends: placeNow(this.#world.run), hash: this.#world.hash })
  }

  /** Judges what can be judged only at the end. Returns the broken law, if there is one. */
  async end(): Promise<string | undefined> {
    return this.#world.end()
  }

  async #replay(acts: readonly DoneAct[], to: Place): Promise<void> {
    const { run } = this.#world
    const moved = { simulation: run.simulation, passUntil: run.passUntil.bind(run) }
    const told = (done: number): void => {
      this.#busy = { what: 'replay', acts: done, actsTotal: acts.length, nowUs: run.simulation.nowUs, toUs: to.atUs }
      this.#version++
    }
    this.#acts = []
    this.#actChars = 0
    told(0)
    try {
      await run.begin()
      for (const [at, act] of acts.entries()) {
        await reachPlace(moved, act.place)
        if (run.hasFailed()) return
        this.#again(act, at)
        told(at + 1)
      }
      await reachPlace(moved, to)
    } finally {
      this.#busy = undefined
      this.hear()
    }
  }

  #again({ given, act, place, hashBefore }: DoneAct, at: number): void {
    const { run } = this.#world
    if (hashBefore !== undefined) this.#isAsBefore(hashBefore, at)
    const hash = this.#world.hash
    const done = performAct(
      run,
      act,
      at,
      this.#told(() => undefined),
    )
    invariant(done.ok, 'what was done can be done again', { act: at + 1, why: done.ok ? '' : done.error })
    run.tell('fault', done.value)
    this.#acts.push({ given, act, place, text: done.value, hashBefore: hash })
    this.#actChars += charsOf(given)
  }

  #isAsBefore(hashBefore: string, at: number): void {
    invariant(this.#world.hash === hashBefore, 'a world that is built again is the same', { act: at + 1 })
  }

  #told(hear: Hear): Hear {
    const { world } = this
    return (told) => {
      // Answers of a former world are dropped.
      if (this.#world === world) this.#answered.push(() => hear(told))
    }
  }

  #newWorld(): PlayWorld {
    const { loaded, seed, build, gzip, createPlatform } = this.#options
    return new PlayWorld({ loaded, seed, build, gzip, platform: createPlatform() })
  }
}

function charsOf(given: GivenAct): number {
  return JSON.stringify(given).length
}
