/** One thing that happened, as it was seen in the page. */
export interface Happening {
  readonly atMs: number
  readonly kind: 'health' | 'leader' | 'member' | 'key' | 'connection'
  readonly text: string
  /** A place of the page that shows what it is about. */
  readonly href?: string
  /** The check that it is about, by node and ID. */
  readonly check?: string
}

/** How long happenings are kept, and how many at most. */
export const ringMs = 15 * 60_000
export const happeningsMax = 1_000

/** The last 15 minutes. While it is paused, what happens is kept, and shown when it goes on. */
export class Ring {
  #kept: readonly Happening[] = []
  #shown: readonly Happening[] = []
  #paused = false
  #watchedPrefix: string | undefined
  readonly #readers = new Set<() => void>()
  /** When the tab began to watch. */
  readonly sinceMs: number

  constructor(sinceMs: number) {
    this.sinceMs = sinceMs
  }

  /** The newest first. */
  get shown(): readonly Happening[] {
    return this.#shown
  }

  get paused(): boolean {
    return this.#paused
  }

  /** How many have happened since the pause began. */
  get waiting(): number {
    const [newest] = this.#shown
    if (newest === undefined) return this.#kept.length
    const at = this.#kept.indexOf(newest)
    return at < 0 ? this.#kept.length : at
  }

  /** Keys below it are part of the story; undefined: no keys are. */
  get watchedPrefix(): string | undefined {
    return this.#watchedPrefix
  }

  watchKeys(prefix: string | undefined): void {
    this.#watchedPrefix = prefix
    this.#tell()
  }

  add(happenings: readonly Happening[], nowMs: number): void {
    const young = this.#kept.filter(({ atMs }) => nowMs - atMs < ringMs)
    if (happenings.length === 0 && young.length === this.#kept.length) return
    this.#kept = [...happenings.toReversed(), ...young].slice(0, happeningsMax)
    if (!this.#paused) this.#shown = this.#kept
    this.#tell()
  }

  setPaused(paused: boolean): void {
    this.#paused = paused
    if (!paused) this.#shown = this.#kept
    this.#tell()
  }

  /** When the status of a check was last seen to change; undefined: not in these minutes. */
  lastOf(check: string): number | undefined {
    return this.#kept.find((each) => each.check === check)?.atMs
  }

  /** Calls `read` after each change, until the returned function is called. */
  follow(read: () => void): () => void {
    this.#readers.add(read)
    return () => this.#readers.delete(read)
  }

  #tell(): void {
    for (const read of this.#readers) read()
  }
}
