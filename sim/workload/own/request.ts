import { textOf } from '../../../src/base/bytes.ts'
import type { HttpClientResponse } from '../../../src/env/http.ts'
import { headerSaid } from '../../../src/model/naming/names.ts'
import type { OwnTree } from '../../checkers/keys/own-tree.ts'
import { type Expected, type JsonRow, learnAll, parseRows, type Told, toldRow } from '../../checkers/keys/own-words.ts'
import type { Draws } from '../../world/decisions/draws.ts'

/** What a client knows when it makes a request about its own keys. */
export interface Asking {
  readonly tree: OwnTree
  /** The common prefix of its keys. */
  readonly prefix: string
  readonly draws: Draws
  /** Unique in the run. */
  readonly value: string
  /** The node to which its sessions belong. */
  readonly node: string
  /** Minimum time to live that servers accept, by the settings in force. */
  readonly ttlMinMs: number
}

/** One request to an agent, the correct answer, and the state after it. */
export interface OwnRequest {
  readonly method: 'GET' | 'PUT' | 'DELETE'
  readonly target: string
  readonly body?: string
  readonly expected: Expected
  /** Another correct answer. */
  readonly or?: Expected
  /** Undefined: the answer leaves the outcome open. */
  readonly told: (answer: HttpClientResponse) => Told | undefined
  /** Called after a correct answer; returns the tree from now on. */
  readonly done: (told: Told) => OwnTree
  /** If the request is not answered, it has changed nothing that matters. */
  readonly isHarmless: boolean
}

/** One entry of the table: its weight among the others, when it is possible, and its request. */
export interface OwnOperation {
  readonly weight: number
  /** For the language page. */
  readonly about: string
  readonly isPossible?: (tree: OwnTree) => boolean
  readonly request: (asking: Asking) => OwnRequest
}

const names = ['a', 'b', 'd/a', 'd/b', 'd/e/a'] as const
const prefixes = ['', 'd/', 'd/e', 'a'] as const
/** The last two do not fit into a double. */
const flagsOf = ['0', '42', '9007199254740993', '18446744073709551615'] as const
/** A value of this length is stored in another form than a short one. */
const longValue = 1_500

export function oneOf<T>(values: readonly T[], draws: Draws): T {
  return values[draws.below(values.length)] as T
}

export function keyOf({ prefix, draws }: Pick<Asking, 'prefix' | 'draws'>): string {
  return prefix + oneOf(names, draws)
}

export function prefixOf({ prefix, draws }: Pick<Asking, 'prefix' | 'draws'>): string {
  return prefix + oneOf(prefixes, draws)
}

/** One value in eight is empty, and one is long. */
export function writtenOf({ draws, value }: Pick<Asking, 'value' | 'draws'>) {
  const kind = draws.below(8)
  const text = kind === 0 ? '' : kind === 1 ? value.padEnd(longValue, '.') : value
  return { value: text, flags: oneOf(flagsOf, draws) }
}

/**
 * Two of three requests name the key's present index, as far as the client knows it; the others name a different one.
 */
export function indexOf({ tree, draws }: Pick<Asking, 'tree' | 'draws'>, key: string): number {
  const row = tree.row(key)
  const right = row === undefined ? 0 : row.modifyIndex
  if (right !== undefined && draws.below(3) > 0) return right
  if (row === undefined) return tree.seen + 1
  return right === undefined ? row.after : right - 1
}

export function saying(said: boolean | string): Expected {
  return { said: String(said), rows: [] }
}

function toldText(answer: HttpClientResponse): Told | undefined {
  return answer.status === 200 ? { said: textOf(answer.body).trim(), rows: [] } : undefined
}

/** A request that is answered with true or false, and its effect on the tree. */
export function write(
  { tree }: Asking,
  request: Pick<OwnRequest, 'method' | 'target' | 'body'>,
  change: (tree: OwnTree) => boolean,
): OwnRequest {
  const after = tree.copy()
  after.begin()
  const expected = saying(change(after))
  return { ...request, expected, told: toldText, done: () => after, isHarmless: false }
}

/**
 * The content of an answer to a read, as `words` makes it from the JSON; a 404 without an index is not an answer about
 * keys.
 */
export function toldBy(words: (text: string) => Told): OwnRequest['told'] {
  return (answer) => {
    if (headerSaid(answer.headers, 'index') === undefined) return undefined
    if (answer.status === 404) return words('[]')
    return answer.status === 200 ? words(textOf(answer.body)) : undefined
  }
}

const toldRows = toldBy((text) => ({ said: 'rows', rows: parseRows<readonly JsonRow[]>(text).map(toldRow) }))

/** A read, which changes only the client's knowledge. */
export function read({ tree }: Asking, target: string, expected: Expected, told = toldRows): OwnRequest {
  const done = (answer: Told): OwnTree => {
    learnAll(tree, expected, answer)
    return tree
  }
  return { method: 'GET', target, expected, told, done, isHarmless: true }
}
