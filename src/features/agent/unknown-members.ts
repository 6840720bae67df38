import { nearest } from '../../base/edit-distance.ts'
import { lowerAscii } from '../../base/letter-case.ts'
import type { RouteResponse } from '../contract/route.ts'

/** Members that are named: all that is said goes into one header. Of the others their number is told. */
const namedMax = 5
/** Characters that are shown of a name. What is longer is no mistyped member: nothing is looked for that was meant. */
const shownMax = 64

/**
 * Members of a definition that the release does not know. Over HTTP they are ignored, as in the field, for clients of later
 * releases send them; the caller is warned, for a mistyped one would otherwise be missed without a word.
 */
export class UnknownMembers {
  readonly #warnings: string[] = []
  #further = 0

  /** `path`: of the object that it is in. `known`: what the object may have, as it is called over HTTP. */
  note(path: readonly (string | number)[], spelled: string, known: () => readonly string[]): void {
    if (this.#warnings.length === namedMax) {
      this.#further++
      return
    }
    const meant = spelled.length > shownMax ? undefined : meantBy(spelled, known())
    const remedy = meant === undefined ? '' : `: did you mean ${meant}?`
    this.#warnings.push(`unknown member ${placeText([...path, spelled])} was ignored${remedy}`)
  }

  /** One line of ASCII; empty: there were none. */
  get warning(): string {
    const further = this.#further === 0 ? [] : [`${this.#further} more unknown members were ignored`]
    return [...this.#warnings, ...further].join('; ')
  }

  /** That a definition was taken, with what was left out of it. */
  answer(): RouteResponse {
    const { warning } = this
    return { kind: 'empty', status: 200, ...(warning === '' ? {} : { warning }) }
  }
}

function meantBy(spelled: string, known: readonly string[]): string | undefined {
  const lower = known.map(lowerAscii)
  const meant = nearest(lowerAscii(spelled), lower)
  return meant === undefined ? undefined : known[lower.indexOf(meant)]
}

/** `Checks[0].Interval`; a name of other characters is in quotes. All of it is ASCII, for it goes into a header. */
function placeText(path: readonly (string | number)[]): string {
  let text = ''
  for (const part of path) {
    text += typeof part === 'number' ? `[${part}]` : `${text === '' ? '' : '.'}${nameText(part)}`
  }
  return text
}

function nameText(name: string): string {
  if (name.length <= shownMax && /^[A-Za-z0-9_-]+$/.test(name)) return name
  const shown = name.length <= shownMax ? name : `${name.slice(0, shownMax)}...`
  return JSON.stringify(shown).replace(/[^\x20-\x7e]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
