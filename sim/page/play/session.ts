import type { PlayOverview, PlayStatus } from '../../play/play-api.ts'
import type { FilmSource, OpenPieces } from '../film-source.ts'
import { type Answered, type Channel, filmOf, parsedAnswer } from './channel.ts'

/** Milliseconds between two looks at a moving world, and at one that stands still. */
const movingMs = 250
const stillMs = 1000

/**
 * The run that this page shows. It polls the session while the page is visible: for a status of a few kilobytes, and for
 * the film only if something has happened since the last look.
 */
export class PlaySession {
  readonly ownCluster: (lesson: number) => string
  readonly #channel: Channel
  readonly #onChange: () => void
  #status: PlayStatus | undefined
  #film: OpenPieces | undefined
  #world = -1
  #version = -1
  #problem: string | undefined
  #timer: number | undefined
  #looking: Promise<void> | undefined

  /** `ownCluster`: how a reader gets the cluster of the lesson with this number, in words. */
  constructor(channel: Channel, onChange: () => void, ownCluster: (lesson: number) => string) {
    this.#channel = channel
    this.#onChange = onChange
    this.ownCluster = ownCluster
  }

  get status(): PlayStatus | undefined {
    return this.#status
  }

  get film(): FilmSource | undefined {
    return this.#film
  }

  /** Why the server did not answer, as text; undefined: it does. */
  get problem(): string | undefined {
    return this.#problem
  }

  /** Looks now, and from now on at intervals. */
  begin(document: Document): void {
    document.addEventListener('visibilitychange', () => void this.look())
    void this.look()
  }

  /** One look at a time; a look requested during another one begins after it. */
  async look(): Promise<void> {
    const before = this.#looking
    const mine = (before ?? Promise.resolve()).then(() => this.#look())
    this.#looking = mine
    await mine
    if (this.#looking !== mine) return
    this.#looking = undefined
    clearTimeout(this.#timer)
    if (!document.hidden) this.#timer = setTimeout(() => void this.look(), this.#isMoving() ? movingMs : stillMs)
  }

  async get<Value>(path: string): Promise<Answered<Value>> {
    return parsedAnswer<Value>(await this.#channel('GET', path, ''))
  }

  text(path: string): Promise<Answered<string>> {
    return this.#channel('GET', path, '')
  }

  /** When this settles, the page shows the result. */
  async post<Value>(path: string, body: unknown): Promise<Answered<Value>> {
    const answer = await this.#channel('POST', path, JSON.stringify(body))
    await this.look()
    return parsedAnswer<Value>(answer)
  }

  #isMoving(): boolean {
    const { paused = true, busy = null, advancingToUs = null } = this.#status ?? {}
    return !paused || busy !== null || advancingToUs !== null
  }

  async #look(): Promise<void> {
    const status = await this.get<PlayStatus>('status')
    this.#problem = status.ok ? undefined : status.error
    if (status.ok) {
      this.#status = status.value
      if (status.value.version !== this.#version) await this.#lookAtFilm()
    }
    this.#onChange()
  }

  async #lookAtFilm(): Promise<void> {
    const overview = await this.get<PlayOverview>('overview')
    if (!overview.ok) {
      // While the world is being rebuilt there is no film of it; the previous one stays visible.
      if (this.#status?.busy === null) this.#problem = overview.error
      return
    }
    this.#version = overview.value.version
    if (this.#film === undefined) this.#film = this.#newFilm(overview.value)
    else this.#film.replace(overview.value)
    if (overview.value.world !== this.#world) this.#film.forget()
    this.#world = overview.value.world
  }

  #newFilm(overview: PlayOverview): OpenPieces {
    const onFailed = (reason: unknown): void => {
      this.#problem = reason instanceof Error ? reason.message : String(reason)
      this.#onChange()
    }
    return filmOf(overview, this.#channel, { onOpen: this.#onChange, onFailed })
  }
}
