import type { Env } from '../env/env.ts'
import type { Answer, ReadMeta, Standing } from '../features/contract/reading.ts'
import { isSame, kept, type Signature } from './signature.ts'

/** What an answer depends on: tells whether it would be the same if it were made now. */
export class Basis {
  readonly #standings: Standing[] = []
  #keepable = true
  #drawn = false
  #second: number | undefined
  /** The caller's identity: another caller may get another answer. */
  readonly #isSameAsker: () => boolean

  /** `isSameAsker`: whether the caller is still the same, by the default token, because DNS carries none. */
  constructor(isSameAsker: () => boolean = () => true) {
    this.#isSameAsker = isSameAsker
  }

  /** The answer depends on this one. An answer of another agent may be outdated at once. */
  restsOn(answer: Answer<unknown>): void {
    const standing = answer.standing?.()
    if (standing === undefined) this.#keepable = false
    else this.#standings.push(standing)
  }

  /** The answer depends on the moment, or on the caller. */
  isOfTheMoment(): void {
    this.#keepable = false
  }

  /** The answer was drawn at random from several possible ones. */
  wasDrawn(): void {
    this.#drawn = true
  }

  /** The answer contains this second of the wall clock. */
  tells(second: number): void {
    if (this.#second !== undefined && this.#second !== second) this.#keepable = false
    this.#second = second
  }

  get isKeepable(): boolean {
    return this.#keepable
  }

  get isDrawn(): boolean {
    return this.#drawn
  }

  /** Metadata of everything that it depends on, as of now; undefined: the answer may be different by now. */
  now(wallMs: number): readonly ReadMeta[] | undefined {
    if (!this.#keepable || !this.#isSameAsker()) return undefined
    if (this.#second !== undefined && Math.floor(wallMs / 1000) !== this.#second) return undefined
    const metas: ReadMeta[] = []
    for (const standing of this.#standings) {
      const meta = standing.now()
      if (meta === undefined) return undefined
      metas.push(meta)
    }
    return metas
  }
}

interface KeptAnswersBounds {
  /** Maximum number of questions with cached answers. */
  readonly questionsMax: number
  /** Maximum size of all answers together. */
  readonly bytesMax: number
}

const defaultBounds: KeptAnswersBounds = { questionsMax: 1_024, bytesMax: 8 << 20 }

/**
 * Drawings kept at a time of an answer whose order or choice is drawn; each serves a bounded number of questions and
 * time.
 */
const drawingsMax = 16
const usesMax = 256
const drawingMs = 100

interface MadeAnswer {
  readonly bytes: Uint8Array
  readonly basis: Basis
  /** Under which time is sampled that it takes to give it. */
  readonly metric: string
}

interface Drawing extends MadeAnswer {
  readonly untilMs: number
  usesLeft: number
}

interface KeptQuestion {
  readonly signature: Signature
  readonly drawings: Drawing[]
  /** Since it was last the oldest. */
  asked: boolean
}

interface KeptAnswer {
  /** Not to be changed. */
  readonly bytes: Uint8Array
  readonly metric: string
  /** How fresh what it rests on is now. */
  readonly metas: readonly ReadMeta[]
}

/**
 * Caches encoded answers, each for as long as a new one would be equal: its basis is checked each time. A random order
 * is used only for a moment, in turn with other random ones: over many questions every order and every choice occurs as
 * often as if each question had its own.
 */
export class KeptAnswers {
  readonly #env: Pick<Env, 'random'>
  readonly #bounds: KeptAnswersBounds
  /** By the hash of the question, those that came first, first. Of two with one hash the later one stays. */
  readonly #questions = new Map<number, KeptQuestion>()
  #bytes = 0

  constructor(env: Pick<Env, 'random'>, bounds: Partial<KeptAnswersBounds> = {}) {
    this.#env = env
    this.#bounds = { ...defaultBounds, ...bounds }
  }

  get size(): { readonly questions: number; readonly bytes: number } {
    return { questions: this.#questions.size, bytes: this.#bytes }
  }

  find(signature: Signature, wallMs: number, monoMs: number): KeptAnswer | undefined {
    const question = this.#questions.get(signature.hash)
    if (question === undefined || !isSame(question.signature, signature)) return undefined
    const isDrawn = question.drawings[0]?.basis.isDrawn === true
    const at = isDrawn ? this.#env.random.draws('dns.kept').below(drawingsMax) : 0
    const drawing = question.drawings[at]
    if (drawing === undefined) return undefined
    const metas = drawing.usesLeft > 0 && drawing.untilMs > monoMs ? drawing.basis.now(wallMs) : undefined
    if (metas === undefined) {
      this.#drop(question, at)
      return undefined
    }
    drawing.usesLeft--
    question.asked = true
    return { bytes: drawing.bytes, metric: drawing.metric, metas }
  }

  keep(signature: Signature, made: MadeAnswer, monoMs: number): void {
    const { basis, bytes } = made
    if (!basis.isKeepable) return
    const question = this.#question(signature)
    if (question.drawings.length >= (basis.isDrawn ? drawingsMax : 1)) return
    const untilMs = basis.isDrawn ? monoMs + drawingMs : Number.POSITIVE_INFINITY
    const usesLeft = basis.isDrawn ? usesMax : Number.POSITIVE_INFINITY
    question.drawings.push({ ...made, untilMs, usesLeft })
    this.#bytes += bytes.length
    this.#makeRoom(question)
  }

  #question(signature: Signature): KeptQuestion {
    const known = this.#questions.get(signature.hash)
    if (known !== undefined && isSame(known.signature, signature)) return known
    if (known !== undefined) this.#forget(known)
    const question: KeptQuestion = { signature: kept(signature), drawings: [], asked: false }
    this.#questions.set(signature.hash, question)
    return question
  }

  /** The last one takes its place: which one is where means nothing. */
  #drop({ drawings }: KeptQuestion, at: number): void {
    this.#bytes -= drawings[at]?.bytes.length ?? 0
    const last = drawings.pop()
    if (last !== undefined && at < drawings.length) drawings[at] = last
  }

  #forget(question: KeptQuestion): void {
    for (const { bytes } of question.drawings) this.#bytes -= bytes.length
    this.#questions.delete(question.signature.hash)
  }

  /** Evicts the oldest; a question that was repeated since it came, or was spared once, is spared. */
  #makeRoom(newest: KeptQuestion): void {
    for (const question of this.#questions.values()) {
      if (this.#questions.size <= this.#bounds.questionsMax && this.#bytes <= this.#bounds.bytesMax) return
      if (question === newest) continue
      if (!question.asked) this.#forget(question)
      else {
        question.asked = false
        this.#questions.delete(question.signature.hash)
        this.#questions.set(question.signature.hash, question)
      }
    }
    if (this.#bytes > this.#bounds.bytesMax) this.#forget(newest)
  }
}
