import { compareText, hex, utf8 } from '../../src/base/bytes.ts'
import { err, ok, type Result } from '../../src/base/result.ts'
import type { Workshop } from '../self-test/workshop.ts'
import { instrumented, type Mutant, type ReturnPlace, switchModule, switchText } from './instrument.ts'
import type { Literal } from './literals.ts'
import type { Compiler } from './operators/change.ts'
import { ReturnTypes } from './return-types.ts'

/** A place in a source file, counted from 0. */
export interface SourcePlace {
  readonly line: number
  readonly column: number
}

/** What mutants need besides copies of the program. */
export interface MutationWorkshop extends Workshop {
  /** Absolute path of the folder with the program: a checkout, or an installed package. */
  readonly folder: string
  /** All built modules, such as `src/raft/core/commit.js`, in a fixed order. */
  names(): readonly string[]
  /** Maps a place in a built module to its source; undefined: the build has no maps. */
  sourcePlaces(file: string): ((line: number, column: number) => SourcePlace | undefined) | undefined
  /** The text of a source, such as `src/raft/core/commit.ts`; undefined: only the built program exists. */
  source?(file: string): string | undefined
}

/** A mutant with its names for reports. */
export interface NamedMutant extends Mutant {
  /** Eight hexadecimal digits that depend on the file, the operator and the texts, not on what else is in the file. */
  readonly id: string
  readonly room: string
  /** `src/raft/core/commit.ts:17:7`. */
  readonly place: string
}

export interface MutationBuild {
  /** The texts of the instrumented modules, and of the module with the switch. */
  readonly texts: ReadonlyMap<string, string>
  readonly mutants: readonly NamedMutant[]
  readonly sites: number
  readonly returns: readonly NamedReturn[]
  /** The texts of the rooms; empty unless returns are observed. */
  readonly literals: readonly Literal[]
  /** The place of something in a built module, for people: `src/raft/core/commit.ts:17:7`. */
  readonly placeOf: (of: { readonly file: string; readonly at: SourcePlace }) => string
}

export interface NamedReturn extends ReturnPlace {
  /** `src/raft/core/commit.ts:17:7`. */
  readonly place: string
  /** Its function's declared type excludes returning nothing. */
  readonly isPromised: boolean
}

export interface BuildOptions {
  readonly ts: Compiler
  readonly workshop: Pick<MutationWorkshop, 'names' | 'read' | 'sourcePlaces' | 'source'>
  /** Folders or files of source: `src/raft/core`, `src/raft/core/commit.ts`. */
  readonly rooms: readonly string[]
  /** Whether functions that return nothing are observed, too, and texts are collected. */
  readonly watchesReturns?: boolean
  readonly sha256: (bytes: Uint8Array) => Uint8Array
}

/** Puts all mutants of the rooms behind switches. The error names a room without modules. */
export function mutationBuild({
  ts,
  workshop,
  rooms,
  watchesReturns,
  sha256,
}: BuildOptions): Result<MutationBuild, string> {
  const texts = new Map<string, string>()
  const mutants: NamedMutant[] = []
  const returns: NamedReturn[] = []
  const literals: Literal[] = []
  let sites = 0
  const types = new ReturnTypes(ts, (file) => workshop.source?.(file))
  const names = workshop.names()
  for (const room of rooms) {
    const files = names.filter((name) => isIn(room, name))
    if (files.length === 0)
      return err(`${room}: the built program has no module there: name a folder or file of src or sim`)
    for (const file of files.filter((one) => !texts.has(one))) {
      const made = instrumented(ts, file, workshop.read(file) ?? '', {
        sites,
        mutants: mutants.length,
        ...(watchesReturns === true ? { returns: returns.length } : {}),
      })
      texts.set(file, made.text)
      sites += made.sites
      mutants.push(...named(made.mutants, { room, file, workshop, sha256 }))
      literals.push(...made.literals)
      const places = workshop.sourcePlaces(file)
      for (const each of made.returns) {
        returns.push({
          ...each,
          place: placeText(each, places),
          // Only few of them are asked, and each answer parses a source.
          get isPromised() {
            const source = places?.(each.at.line, each.at.column)
            return source !== undefined && types.promisesSomething(file.replace(/[.]js$/, '.ts'), source)
          },
        })
      }
    }
  }
  texts.set(switchModule, switchText(sites, returns.length))
  const placeOf: MutationBuild['placeOf'] = (of) => placeText(of, workshop.sourcePlaces(of.file))
  return ok({ texts, mutants, sites, returns, literals, placeOf })
}

function isIn(room: string, name: string): boolean {
  const path = room.replace(/\/+$/, '').replace(/[.]ts$/, '')
  return name.startsWith(`${path}/`) || name === `${path}.js`
}

interface Naming extends Pick<BuildOptions, 'workshop' | 'sha256'> {
  readonly room: string
  readonly file: string
}

function named(mutants: readonly Mutant[], { room, file, workshop, sha256 }: Naming): readonly NamedMutant[] {
  const places = workshop.sourcePlaces(file)
  const seen = new Map<string, number>()
  return mutants.map((mutant) => {
    const { operator, before, after, at } = mutant
    const key = [file, operator, before, after].join('\n')
    const nth = seen.get(key) ?? 0
    seen.set(key, nth + 1)
    const place = placeText({ file, at }, places)
    return { ...mutant, room, place, id: hex(sha256(utf8(`${key}\n${nth}`))).slice(0, 8) }
  })
}

function placeText(
  { file, at }: Pick<Mutant, 'file' | 'at'>,
  places: ReturnType<BuildOptions['workshop']['sourcePlaces']>,
): string {
  const found = places?.(at.line, at.column)
  const { line, column } = found ?? at
  return `${found === undefined ? file : file.replace(/[.]js$/, '.ts')}:${line + 1}:${column + 1}`
}

/**
 * Draws `count` mutants of each room, depending only on the mutants, the count and the seed. The rooms alternate, so
 * that a campaign that is ended early has tried some of each.
 */
export function sampled(
  mutants: readonly NamedMutant[],
  count: number,
  seed: string,
  sha256: (bytes: Uint8Array) => Uint8Array,
): readonly NamedMutant[] {
  const lots = mutants.map((mutant) => ({ mutant, lot: hex(sha256(utf8(`${seed}\n${mutant.id}`))) }))
  const inOrder = lots.toSorted((a, b) => compareText(a.lot, b.lot) || a.mutant.number - b.mutant.number)
  const taken = new Map<string, number>()
  const drawn = inOrder.flatMap(({ mutant }) => {
    const turn = taken.get(mutant.room) ?? 0
    taken.set(mutant.room, turn + 1)
    return turn < count ? [{ mutant, turn }] : []
  })
  return drawn.toSorted((a, b) => a.turn - b.turn).map(({ mutant }) => mutant)
}
