import { err, ok, type Result } from '../../src/base/result.ts'
import { partsOf, Selector } from '../notation/selector.ts'
import { actKinds, type Place, type PlayedAct, playedAct } from '../scenario/played/played-schema.ts'
import type { PlayAct, PlayActKind } from './play-api.ts'

/** An act in the form of a page, without its place: `{ do: { crash: 's1' } }`. */
export type GivenAct = Readonly<Record<string, unknown>>

/** A performed act. */
export interface DoneAct {
  readonly given: GivenAct
  readonly act: PlayedAct
  readonly place: Place
  readonly text: string
  /** Hash of the trace before it, which must be the same when the world is rebuilt. Undefined: unknown. */
  readonly hashBefore: string | undefined
}

/** Microseconds in the form of a page's times: `12.345678s`. */
function secondsText(us: number): string {
  return `${us / 1_000_000}s`
}

/** A place in the form of a page. */
export function placeText({ atUs, after }: Place): { readonly at: string; readonly after?: number } {
  return { at: secondsText(atUs), ...(after === undefined ? {} : { after }) }
}

/** The act at its place, or what is wrong with it. `nodes`: the existing agents. */
export function readAct(given: GivenAct, place: Place, nodes: readonly string[]): Result<PlayedAct, string> {
  const parsed = playedAct.safeParse({ ...given, ...placeText(place) })
  if (!parsed.success) {
    return err(parsed.error.issues.map(({ path, message }) => [...path.map(String), message].join(': ')).join('; '))
  }
  const problem = problemIn(parsed.data, nodes)
  return problem === undefined ? ok(parsed.data) : err(problem)
}

function kindOf(act: PlayedAct): PlayActKind {
  return actKinds.find((kind) => act[kind] !== undefined) ?? 'do'
}

/** For the list of acts that can be undone. */
export function shownAct({ act, place, text }: DoneAct, at: number): PlayAct {
  return { number: at + 1, atUs: place.atUs, kind: kindOf(act), text }
}

/** The name of a nonexistent agent, or of something that only pages know. */
function problemIn(value: unknown, nodes: readonly string[]): string | undefined {
  if (value instanceof Selector) {
    for (const part of partsOf(value.pick)) {
      if (part.kind === 'node' && !nodes.includes(part.name))
        return `there is no agent '${part.name}': there are ${nodes.join(', ')}`
      if (part.kind === 'it' || part.kind === 'saved')
        return `'${value.text}' has a meaning in pages alone: name agents`
    }
    return undefined
  }
  if (typeof value !== 'object' || value === null) return undefined
  for (const item of Object.values(value)) {
    const problem = problemIn(item, nodes)
    if (problem !== undefined) return problem
  }
  return undefined
}
