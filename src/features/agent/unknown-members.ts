import { nearest } from '../../base/edit-distance.ts'
import { lowerAscii } from '../../base/letter-case.ts'
import type { RouteResponse } from '../contract/route.ts'

/** Maximum number of members that the warning names, because it is one header; the rest are counted. */
const namedMax = 5
/** Maximum number of characters shown of a name. A longer one is not a mistyped member, and gets no suggestion. */
const shownMax = 64

/**
 * Members of a definition that the release does not know. Over HTTP they are ignored, as in the field, because clients
 * of later releases send them. The caller is warned, because a mistyped member would otherwise be lost silently.
 */
export class UnknownMembers {
  readonly #warnings: string[] = []
  #further = 0

  /** `path` is that of the enclosing object. `known` are the HTTP names of its possible members. */
  note(path: readonly (string | number)[], spelled: string, known: () => readonly string[]): void {
    if (this.#warnings.length === namedMax) {
      this.#further++
      return
    }
    const meant = spelled.length > shownMax ? undefined : meantBy(spelled, known())
    const remedy = meant === undefined ? '' : `: did you mean ${meant}?`
    this.#warnings.push(`unknown member ${placeText([...path, spelled])} was ignored${remedy}`)
  }

  /** One line of ASCII; empty if there are none. */
  get warning(): string {
    const further = this.#further === 0 ? [] : [`${this.#further} more unknown members were ignored`]
    return [...this.#warnings, ...further].join('; ')
  }

  /** The answer to an accepted definition, with a warning about ignored members. */
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

/** `Checks[0].Interval`; a name with other characters is quoted. ASCII only, because it is part of a header. */
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
