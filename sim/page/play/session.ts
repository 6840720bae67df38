import type { Piece } from '../../picture/film-format.ts'
import type { PlayError, PlayOverview, PlayStatus } from '../../play/play-api.ts'
import { unpacked } from '../document-film.ts'
import type { FilmSource } from '../film-source.ts'
import { OpenPieces } from '../film-source.ts'

/** Milliseconds between two looks at a moving world, and at one that stands still. */
const movingMs = 250
const stillMs = 1000

/** A full piece is packed like those of a report's page; the last one is still growing. */
type SentPiece = { readonly packed: string } | { readonly open: Piece }

/** An answer of the server, or the reason why there is none, as text. */
export type Answered<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly error: string }

/**
 * The run that this page shows. It polls the server while the page is visible: for a status of a few kilobytes, and for
 * the film only if something has happened since the last look.
 */
export class PlaySession {
  readonly #token: string
  readonly #onChange: () => void
  #status: PlayStatus | undefined
  #film: OpenPieces | undefined
  #world = -1
  #version = -1
  #problem: string | undefined
  #timer: number | undefined
  #looking: Promise<void> | undefined

  constructor(token: string, onChange: () => void) {
    this.#token = token
    this.#onChange = onChange
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
    return await this.#asked(path, {}, (answer) => answer.json() as Promise<Value>)
  }

  async text(path: string): Promise<Answered<string>> {
    return await this.#asked(path, {}, (answer) => answer.text())
  }

  /** When this settles, the page shows the result. */
  async post<Value>(path: string, body: unknown): Promise<Answered<Value>> {
    const headers = { 'Content-Type': 'application/json' }
    const init = { method: 'POST', headers, body: JSON.stringify(body) }
    const answer = await this.#asked(path, init, (response) => response.json() as Promise<Value>)
    await this.look()
    return answer
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
    const load = async (at: number): Promise<Piece> => {
      const piece = await this.get<SentPiece>(`piece?at=${at}`)
      if (!piece.ok) throw new Error(piece.error)
      return 'packed' in piece.value ? await unpacked<Piece>(piece.value.packed) : piece.value.open
    }
    const onFailed = (reason: unknown): void => {
      this.#problem = reason instanceof Error ? reason.message : String(reason)
      this.#onChange()
    }
    return new OpenPieces(overview, load, { onOpen: this.#onChange, onFailed })
  }

  async #asked<Value>(
    path: string,
    init: RequestInit,
    read: (answer: Response) => Promise<Value>,
  ): Promise<Answered<Value>> {
    try {
      const headers = { ...init.headers, Authorization: `Bearer ${this.#token}` }
      const answer = await fetch(`/${path}`, { ...init, headers })
      if (answer.ok) return { ok: true, value: await read(answer) }
      const { error } = (await answer.json()) as PlayError
      return { ok: false, error }
    } catch (reason) {
      const words = reason instanceof Error ? reason.message : String(reason)
      return { ok: false, error: `svc-sim play does not answer (${words}); is it still running?` }
    }
  }
}

/** The token is in the address until it was read, and then in the tab, so that the page can be reloaded. */
export function tokenOf(location: Location, kept: Storage): string {
  const asked = new URLSearchParams(location.hash.slice(1)).get('token')
  if (asked !== null) {
    kept.setItem('token', asked)
    history.replaceState(undefined, '', location.pathname)
  }
  return asked ?? kept.getItem('token') ?? ''
}
