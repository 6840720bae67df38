import { type Judge, law } from '../checker.ts'
import { pieceLength, piecesOf, plainRun, runLength } from './key-forms.ts'

/** Maximum number of remembered keys of leaves: the latest ones. */
const leafKeysMax = 256

/** Where a text was shown: in a log line, or in an answer to a request. */
export interface Said {
  readonly node: string
  /** `log`, or the path of the request. */
  readonly where: string
  readonly text: () => string
}

/**
 * C4: no key of a certificate authority is in any log line or answer; the key of a leaf is only in the answers with
 * that leaf. `key-forms.ts` defines by which text a key is recognized. Snapshots are exempt, because they contain the
 * whole state.
 */
export class MeshSecrets {
  readonly #judge: Judge<{ C4: 'snapshot' | 'older leaf keys' }>
  /** Pieces of text that reveal a key, and the owner of the key. */
  readonly #pieces = new Map<string, { readonly whose: string; readonly service: string | undefined }>()
  readonly #leafPieces: (readonly string[])[] = []
  readonly #keys = new Set<string>()

  constructor(judge: Judge<{ C4: 'snapshot' | 'older leaf keys' }>) {
    this.#judge = judge
  }

  /** A private key in PEM with which a certificate authority signs. */
  authorityKey(pem: string): void {
    if (pem === '' || this.#keys.has(pem)) return
    this.#keys.add(pem)
    for (const piece of piecesOf(pem)) this.#pieces.set(piece, { whose: 'of the authority', service: undefined })
  }

  leafKey(service: string, pem: string): void {
    if (this.#keys.has(pem)) return
    this.#keys.add(pem)
    const pieces = piecesOf(pem)
    for (const piece of pieces)
      if (!this.#pieces.has(piece)) this.#pieces.set(piece, { whose: `of a leaf of ${service}`, service })
    this.#leafPieces.push(pieces)
    if (this.#leafPieces.length <= leafKeysMax) return
    this.#judge.excused('C4', 'older leaf keys')
    for (const piece of this.#leafPieces.shift() ?? []) this.#pieces.delete(piece)
  }

  said({ node, where, text }: Said): void {
    if (this.#pieces.size === 0) return
    if (where.startsWith('/v1/snapshot')) return this.#judge.excused('C4', 'snapshot')
    const said = text()
    if (said.length < runLength) return
    this.#judge.judged('C4')
    const plain = said.includes('\\n') ? said.replaceAll('\\n', '\n') : said
    for (const run of runsIn(plain)) {
      const found = this.#find(plainRun(run))
      if (found === undefined) continue
      if (found.service !== undefined && leafPath(where) === found.service) continue
      this.#judge.report(
        'C4',
        `${node} reveals a key ${found.whose}: ${where === 'log' ? 'in its log' : `in its answer to ${where}`}`,
      )
      return
    }
  }

  #find(run: string): { readonly whose: string; readonly service: string | undefined } | undefined {
    for (let at = 0; at < run.length; at += pieceLength) {
      const found = this.#pieces.get(run.slice(at, at + pieceLength))
      if (found !== undefined) return found
    }
    return undefined
  }
}

function leafPath(where: string): string | undefined {
  return /^\/v1\/agent\/connect\/ca\/leaf\/([^/?]+)/.exec(where)?.[1]
}

/** The characters of either alphabet of base64: letters and digits belong to both. */
const alphabets = { both: 3, plain: 1, url: 2 } as const
const alphabetOf = new Uint8Array(128)
for (let code = 48; code < 123; code++) {
  if (/[A-Za-z0-9]/.test(String.fromCharCode(code))) alphabetOf[code] = alphabets.both
}
for (const char of '+/=') alphabetOf[char.charCodeAt(0)] = alphabets.plain
for (const char of '-_') alphabetOf[char.charCodeAt(0)] = alphabets.url

/**
 * The runs in either alphabet of base64: in texts of the first, the special characters of the second belong to words
 * and to PEM. One pass over the text, because all that agents log and answer comes here.
 */
export function runsIn(text: string): readonly string[] {
  const runs: string[] = []
  let plainFrom = 0
  let urlFrom = 0
  let lastSpecial = -1
  for (let at = 0; at <= text.length; at++) {
    const alphabet = at < text.length ? (alphabetOf[text.charCodeAt(at)] ?? 0) : 0
    if (alphabet === alphabets.both) continue
    if (alphabet !== alphabets.plain) {
      if (at - plainFrom >= runLength) runs.push(text.slice(plainFrom, at))
      plainFrom = at + 1
    }
    if (alphabet === alphabets.url) {
      lastSpecial = at
      continue
    }
    // Without a special character, the run is one of the first alphabet, too.
    if (at - urlFrom >= runLength && lastSpecial >= urlFrom) runs.push(text.slice(urlFrom, at))
    urlFrom = at + 1
  }
  return runs
}

export const meshSecrets = law(
  {
    C4: {
      text: 'keys: the private key of a certificate authority is in no log and no answer, that of a leaf only in answers with that leaf',
      sources: ['docs/reference/mesh.md#ca-configuration'],
      evidence: ['authority', 'requests', 'complaints'],
      judges: ['text', 'texts'],
      excuses: {
        snapshot: 'A snapshot carries the state as a whole, keys and all; that answer alone.',
        'older leaf keys':
          'The key of a leaf is looked for among the latest 256 alone, for the memory that they take; it ends with the life of the leaf.',
      },
    },
  },
  (judge) => new MeshSecrets(judge),
)
